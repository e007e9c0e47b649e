# What one does with this checkout, each by one word. `make` alone lists the words.
#
# Every target is safe to repeat: what is there already is not installed, built or created again.

PREFIX ?= /usr/local
DESTDIR ?=

SWIFT ?= swift
PYTHON ?= python3

# What the build needs beside a Swift toolchain, as Debian and Ubuntu call it.
PACKAGES := libsqlite3-dev libcurl4-openssl-dev libyaml-dev
# What the tests need beside that: Python, for an independent validator of the JSON Schema; certificates; another shell; and that of SQLite,
# which must be able to read a workspace.
TEST_PACKAGES := python3-venv openssl sqlite3 zsh
# A cluster on one computer, for the tests of executors.
TEST_PACKAGES += slurmctld slurmd slurm-client munge
# What verifies the unit of systemd; and how exposed it may be at most, in tenths.
UNIT_PACKAGES := systemd
UNIT_EXPOSURE := 20
# Servers that the tests of HTTPOperations talk to. Unpacked into the build folder, not installed: the package nginx would start
# itself on all addresses of this machine. They want no library that a system with curl and OpenSSL does not have.
SERVER_PACKAGES := nginx tinyproxy-bin microsocks
SERVERS := .build/test-servers

# The validator and its Python live in the build folder, so that `make clean` takes them away again.
VALIDATOR := .build/schema-validator
VALIDATOR_VERSION := 4.23.0

# Linked with the Swift libraries in it: it starts in half the time, and runs on machines without a toolchain.
RELEASE_DIRECTORY := .build/release
RELEASE := $(RELEASE_DIRECTORY)/penstock
# What a command does once, and then ends: where its code names a generic type such as a dictionary, the compiler would have it looked up by name at run
# time, with a search through all conformances of the program for the keys' being hashable. This has it call what makes the type; where the compiler knows it.
DIRECT_TYPES := -disable-concrete-type-metadata-mangled-name-accessors
DIRECT_TYPES_OPTION = $(shell $(SWIFT) -frontend -help-hidden 2> /dev/null | grep -q -e "$(DIRECT_TYPES)" && \
  echo "-Xswiftc -Xfrontend -Xswiftc $(DIRECT_TYPES)")
# The C++ library, which the Swift runtime is written with, is put into the tool as well, where its archive is there: in a folder without the shared one.
STATIC_LIBRARIES := .build/static-libraries
STATIC_OPTION = -Xswiftc '-L$(CURDIR)/$(STATIC_LIBRARIES)' -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
# The tool has a fixed address: otherwise each start writes 110,000 addresses into pages of its own, a tenth of what a short command takes. Its libraries, stack
# and heap are where chance puts them. `make build FIXED_ADDRESS=` has chance place the program as well.
FIXED_ADDRESS := -Xswiftc -Xclang-linker -Xswiftc -no-pie -Xswiftc -Xclang-linker -Xswiftc -Wno-unused-command-line-argument
# A plugin that is loaded from a copy in memory has no folder, so its library is found by the run path of the program: in the old form, which alone holds for
# the libraries of what is loaded later.
RUN_PATH := -Xlinker --disable-new-dtags -Xlinker '-rpath=$$ORIGIN/../lib/penstock'
# Nothing looks for functions in the tool: without 23,000 names for others to find, it is loaded faster.
RELEASE_OPTIONS = -c release --static-swift-stdlib -Xlinker --no-export-dynamic $(DIRECT_TYPES_OPTION) $(STATIC_OPTION) \
  $(FIXED_ADDRESS) $(RUN_PATH) $(NO_UNWIND_TABLES) $(NO_BUILD_PATHS)
# Assertions in C name their files relative to the checkout, so that two checkouts give the same bytes.
NO_BUILD_PATHS := -Xcc '-ffile-prefix-map=$(CURDIR)=.'
# The tables for unwinding the stack are left out: a seventh of the program. Swift does not unwind, and debuggers and `perf` follow the frame pointers, which its code
# keeps. The linker of the toolchain can do this; without it they stay in. `make build NO_UNWIND_TABLES=` keeps them.
NO_UNWIND_TABLES = $(shell { command -v ld.lld || ls "$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/ld.lld"; } > /dev/null 2>&1 && \
  echo "-Xswiftc -use-ld=lld -Xlinker --no-eh-frame-hdr -Xlinker --script=$(CURDIR)/packaging/no-unwind-tables.ld")
# The names of the standard plugins, whatever they are: each is a shared object lib<name>.so.
PLUGINS = $(shell $(SWIFT) package dump-package | sed -n 's/^ *"name" : "\(penstock-[a-z0-9-]*\)".*/\1/p' | grep -vx penstock-host | sort -u)
# Those in Swift share one library, so that the runtime is there once: each is a few kilobytes of C before it. It lies in the folder above the plugins, or
# beside them in the build folder. That in C is a product.
PLUGIN_PRODUCTS := StandardPlugins penstock-signals
PLUGIN_OPTIONS := -std=c11 -Os -fPIC -shared -s -Wall -Wextra -Werror -ISources/PluginABI/include -Wl,--version-script=Plugins/exports.map \
  -L$(RELEASE_DIRECTORY) -lStandardPlugins -Wl,-z,now -Wl,-z,relro -Wl,--disable-new-dtags '-Wl,-rpath,$$ORIGIN/..:$$ORIGIN'
# What `make dist` makes.
DIST := dist
# What the thread sanitizer looks at is built apart, as all of it is instrumented; and from the package in Tests/ThreadSanitizer,
# as the one of the root would have every target built, which takes many times as long and instruments other people's code.
TSAN_PACKAGE := Tests/ThreadSanitizer
TSAN_BUILD := .build-tsan
TSAN_BUILD_OPTIONS = --sanitize=thread --package-path $(TSAN_PACKAGE) --scratch-path $(TSAN_BUILD)
# The same for the address sanitizer, which is about the code that lends memory to C: that of HTTP. Its tests are built with all the others.
ASAN_BUILD := .build-asan
# How many tests run at a time. Most wait for processes; all at once they would only wait for each other.
TEST_WIDTH ?= 24
LINTED := $(wildcard Sources Tests Benchmarks Plugins) Package.swift

.DEFAULT_GOAL := help
.PHONY: help run run-http test test-tsan test-asan build build-tests install bench bench-host lint format docs soak simulate clean packages test-packages unit-packages verify-unit toolchain build-tool static-libraries install-built dist test-dist manual

help: ## List what can be made
	@echo "usage: make TARGET"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
	@echo
	@echo "PREFIX ($(PREFIX)) and DESTDIR say where install puts things."

run: build ## Set up, build for release, and run examples/source-report.yaml on this checkout
	@echo "==> penstock run examples/source-report.yaml (its history goes to .penstock)"
	@$(RELEASE) run --workspace .penstock examples/source-report.yaml
	@echo
	@echo "The tool is $(RELEASE); '$(RELEASE) history show last' shows the record of this run."

# With FLAKY=1, two of three requests go wrong: watch the retries.
run-http: build ## Start a small feed server on port 8080, and run examples/release-digest.yaml against it; FLAKY=1 for trouble
	@$(PYTHON) examples/http/server.py --port 8080 $(if $(FLAKY),--flaky) > /dev/null 2>&1 & server=$$!; \
	trap "kill $$server" EXIT; \
	tries=0; \
	until curl --silent --output /dev/null http://127.0.0.1:8080/; do \
	  kill -0 $$server 2> /dev/null && [ $$tries -lt 100 ] || { echo "the server does not start: is port 8080 free?"; exit 1; }; \
	  tries=$$((tries + 1)); sleep 0.1; \
	done; \
	echo "==> penstock run examples/release-digest.yaml (its history goes to .penstock)"; \
	$(RELEASE) run --workspace .penstock examples/release-digest.yaml

test: toolchain packages test-packages $(VALIDATOR)/ready $(SERVERS)/ready ## Set up and run all tests
	@echo "==> swift build --build-tests"
	@$(SWIFT) build --build-tests
	@echo "==> the tests"
	@SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(TEST_WIDTH) \
	  Tests/run "$$($(SWIFT) build --show-bin-path)/penstockPackageTests.xctest" .build/tests.log; \
	status=$$?; \
	if [ "$$status" != 0 ]; then \
	  echo; echo "==> what failed (all of it is in .build/tests.log):"; \
	  grep -a -A 16 'recorded an issue' .build/tests.log | grep -av '^. Test .* \(started\|passed\)' | cut -c 1-300 | head -n 40; \
	  echo; grep -a 'Test run with' .build/tests.log | tail -n 1; \
	fi; \
	exit "$$status"

# Reports go to files, one for each process: the tests that start a process of their own do not pass on what it prints.
test-tsan: toolchain packages test-packages ## Set up and run the tests of Operations and Workspace under the thread sanitizer
	@echo "==> swift build --build-tests --sanitize=thread --package-path $(TSAN_PACKAGE)"
	@$(SWIFT) build --build-tests $(TSAN_BUILD_OPTIONS)
	@echo "==> the tests, under the thread sanitizer"
	@rm -rf $(TSAN_BUILD)/reports && mkdir -p $(TSAN_BUILD)/reports
	@TSAN_OPTIONS="log_path='$(CURDIR)/$(TSAN_BUILD)/reports/of-process'" \
	  Tests/run "$$($(SWIFT) build --show-bin-path $(TSAN_BUILD_OPTIONS))/penstock-thread-sanitizerPackageTests.xctest" $(TSAN_BUILD)/tests.log; \
	status=$$?; \
	for report in $(TSAN_BUILD)/reports/*; do \
	  [ -e "$$report" ] || continue; \
	  cat "$$report"; \
	  status=1; \
	done; \
	[ $$status = 0 ] || echo "==> the tests failed, or the thread sanitizer reported something: see $(TSAN_BUILD)/reports"; \
	exit $$status

test-asan: toolchain packages test-packages $(SERVERS)/ready ## Set up and run the tests of HTTPOperations under the address sanitizer
	@echo "==> swift test --sanitize=address --filter HTTPOperationsTests"
	@LSAN_OPTIONS="suppressions='$(CURDIR)/Tests/leaks.supp':print_suppressions=0" \
	  $(SWIFT) test --sanitize=address --scratch-path $(ASAN_BUILD) --filter HTTPOperationsTests

build-tests: toolchain packages ## Set up and build for debugging, with the tests
	@echo "==> swift build --build-tests"
	@$(SWIFT) build --build-tests

# One after another: the package manager builds either everything or one product.
build: toolchain packages static-libraries ## Set up and build for release, with the standard plugins
	@for product in penstock penstock-host $(PLUGIN_PRODUCTS); do \
	  echo "==> swift build -c release --product $$product"; \
	  $(SWIFT) build $(RELEASE_OPTIONS) --product "$$product" || exit 1; \
	done
	@$(find_compiler); \
	for plugin in $(filter-out $(PLUGIN_PRODUCTS),$(PLUGINS)); do \
	  echo "==> $$plugin"; \
	  "$$compiler" -DSTANDARD_PLUGIN="\"$${plugin#penstock-}\"" -o $(RELEASE_DIRECTORY)/lib$$plugin.so Plugins/Standard/plugin.c $(PLUGIN_OPTIONS) || exit 1; \
	done

# The tool alone, with the same options, so that nothing is compiled twice.
build-tool: toolchain packages static-libraries
	@$(SWIFT) build $(RELEASE_OPTIONS) --product penstock

# The compiler of the toolchain may stand beside `swift`, or beside what `swift` is a link to.
COMPILERS = "$$(dirname "$$(command -v $(SWIFT))")/clang" "$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/clang" clang cc gcc
find_compiler = for compiler in $(COMPILERS); do command -v "$$compiler" > /dev/null && break; done

# A compiler knows where the archive is; what it does not find, it names without a directory.
static-libraries: toolchain
	@mkdir -p $(STATIC_LIBRARIES)
	@for compiler in $(COMPILERS); do \
	  archive=$$("$$compiler" -print-file-name=libstdc++.a 2> /dev/null) || continue; \
	  case "$$archive" in /*) ln -sfn "$$archive" $(STATIC_LIBRARIES)/libstdc++.a; break ;; esac; \
	done

install: build install-built ## Install the tool, its plugins, manual pages and shell completions, its systemd unit and plugin.h under PREFIX

install-built:
	install -d "$(DESTDIR)$(PREFIX)/bin" \
	  "$(DESTDIR)$(PREFIX)/lib/penstock/plugins" \
	  "$(DESTDIR)$(PREFIX)/include/penstock" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d" \
	  "$(DESTDIR)$(PREFIX)/lib/systemd/system" \
	  "$(DESTDIR)$(PREFIX)/lib/sysusers.d"
	install -m 755 $(RELEASE) $(RELEASE_DIRECTORY)/penstock-host "$(DESTDIR)$(PREFIX)/bin/"
	install -m 644 $(RELEASE_DIRECTORY)/libStandardPlugins.so "$(DESTDIR)$(PREFIX)/lib/penstock/"
	set -e; for plugin in $(PLUGINS); do \
	  install -m 644 "$(RELEASE_DIRECTORY)/lib$$plugin.so" "$(DESTDIR)$(PREFIX)/lib/penstock/plugins/"; \
	done
	install -m 644 Sources/PluginABI/include/penstock/plugin.h "$(DESTDIR)$(PREFIX)/include/penstock/plugin.h"
	sed 's|/usr/local/|$(PREFIX)/|g' packaging/penstock.service > "$(DESTDIR)$(PREFIX)/lib/systemd/system/penstock.service"
	install -m 644 packaging/penstock.sysusers "$(DESTDIR)$(PREFIX)/lib/sysusers.d/penstock.conf"
	$(RELEASE) completions bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/penstock"
	$(RELEASE) completions zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_penstock"
	$(RELEASE) completions fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/penstock.fish"
	packaging/manual $(RELEASE) "$(DESTDIR)$(PREFIX)/share/man/man1"

dist: build ## Make a tarball and a Debian package of what install installs, with SHA-256 sums, in dist/
	@rm -rf $(DIST)
	@packaging/package $(DIST)

# Needs root, since it makes a Debian in a temporary folder.
test-dist: dist ## As root: follow the tutorial in a fresh Debian, and install, upgrade and purge the package there
	@packaging/test-package $(DIST)

# Where there is a formatter, it finds no mistake in them.
manual: build-tests ## Write the manual pages from the tool's help, and check them
	@rm -rf .build/manual && packaging/manual .build/debug/penstock .build/manual/man1
	@echo "==> $$(ls .build/manual/man1 | wc -l) pages in .build/manual/man1"
	@command -v groff > /dev/null || { echo "==> groff is not here: the pages are not checked"; exit 0; }; \
	problems=$$(for page in .build/manual/man1/*.1; do groff -I.build/manual -Kutf8 -man -ww -Tutf8 -z "$$page" 2>&1; done); \
	[ -z "$$problems" ] || { echo "$$problems"; exit 1; }

# On a copy that names programs which are there. Where systemd-analyze neither is nor can be installed, nothing is said.
verify-unit: ## Have systemd check packaging/penstock.service
	@command -v systemd-analyze > /dev/null || ! command -v dpkg-query > /dev/null || $(MAKE) --no-print-directory unit-packages
	@if ! command -v systemd-analyze > /dev/null; then echo "==> systemd-analyze is not here: the unit is not verified"; exit 0; fi; \
	mkdir -p .build/unit && sed 's|/usr/local/bin/penstock|/bin/true|' packaging/penstock.service > .build/unit/penstock.service && \
	echo "==> systemd-analyze verify" && \
	systemd-analyze verify --man=no .build/unit/penstock.service && \
	echo "==> systemd-analyze security" && \
	systemd-analyze security --offline=true --threshold=$(UNIT_EXPOSURE) --no-pager .build/unit/penstock.service > .build/unit/security; \
	status=$$?; tail -n 1 .build/unit/security; test $$status = 0 || exit $$status; \
	for name in $$(sed -n 's/^✗ \([A-Za-z]*\)=.*/\1/p' .build/unit/security | sort -u); do \
	  sed '1,/^# Left off/d' packaging/penstock.service | grep -q "^# .*$$name=" || { echo "penstock.service does not say why $$name= is left off"; exit 1; }; \
	done

bench: toolchain packages ## Measure against the floors, side by side
	@$(MAKE) -C Benchmarks

bench-host: toolchain packages ## Measure penstock serve beside its goals, in 25 minutes; BENCH_QUICK=1 only to see that it works
	@$(MAKE) -C Benchmarks host

lint: toolchain ## Check the layout of the sources, that modules and folders use each other one way, and their pages
	@echo "==> swift format lint --strict"
	@$(SWIFT) format lint --strict --parallel --recursive $(LINTED)
	@echo "==> .ci/layers"
	@$(PYTHON) .ci/layers
	@echo "==> .ci/pages"
	@$(PYTHON) .ci/pages

docs: build-tests ## Build the documentation of the libraries with DocC, and reject links that lead nowhere
	@echo "==> .ci/docc"
	@.ci/docc .build/documentation

format: toolchain ## Lay out the sources in place
	@$(SWIFT) format --in-place --parallel --recursive $(LINTED)

# Hosts through a month, built with optimization, and apart: what the tests look into is not in the tool.
SIMULATION_BUILD := .build-simulation
SIMULATION_OPTIONS = -c release -Xswiftc -enable-testing --scratch-path $(SIMULATION_BUILD)
SIMULATION ?= --pipelines 1000 --days 30 --restarts 60 --kills 20 --runs 160 --processes 200

simulate: toolchain packages ## Simulate hosts through a month with 1,000 pipelines; SIMULATION="--days 5" for another one
	@for product in SimulatedHosts penstock-cron penstock-interval; do \
	  echo "==> swift build -c release --product $$product"; \
	  $(SWIFT) build $(SIMULATION_OPTIONS) --product "$$product" || exit 1; \
	done
	@"$$($(SWIFT) build $(SIMULATION_OPTIONS) --show-bin-path)/SimulatedHosts" --progress $(SIMULATION)

soak: toolchain packages simulate ## Run the long tests at their full length
	@PENSTOCK_SOAK=full $(SWIFT) test --filter "SoakTests|ManyRunsTests|StoreStressTests|WorkspaceTests|HTTPDownloadKillTests|WireFuzzTests|RelocationTests|StandardPluginTests"

clean: ## Remove everything that was built (the history in .penstock stays)
	rm -rf .build $(DIST) $(TSAN_BUILD) $(ASAN_BUILD) $(SIMULATION_BUILD) Benchmarks/.build Benchmarks/Micro/.build Benchmarks/HTTP/.build

# Installs what is missing of the packages named by $(1), or says how to.
define install_packages
	@if ! command -v dpkg-query > /dev/null; then \
	  echo "==> this is neither Debian nor Ubuntu: make sure that you have what these packages hold: $(1)"; \
	  exit 0; \
	fi; \
	missing=; \
	for package in $(1); do \
	  dpkg-query --show --showformat '$${db:Status-Status}\n' "$$package" 2> /dev/null | grep -qx installed \
	    || missing="$$missing $$package"; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	install="apt-get install --yes --quiet --no-install-recommends$$missing"; \
	if [ "$$(id -u)" = 0 ]; then as_root="env"; \
	elif command -v sudo > /dev/null && { [ -t 0 ] || sudo -n true 2> /dev/null; }; then as_root="sudo"; \
	else \
	  echo "==> these packages are missing:$$missing"; \
	  echo "    Neither root nor sudo is at hand. Have this run, then try again:"; \
	  echo "    apt-get update && $$install"; \
	  exit 1; \
	fi; \
	echo "==> installing what is missing:$$missing"; \
	$$as_root apt-get update --quiet && $$as_root DEBIAN_FRONTEND=noninteractive $$install
endef

packages:
	$(call install_packages,$(PACKAGES))

unit-packages:
	$(call install_packages,$(UNIT_PACKAGES))

test-packages:
	$(call install_packages,$(TEST_PACKAGES))

toolchain:
	@command -v $(SWIFT) > /dev/null || { \
	  echo "==> there is no '$(SWIFT)' in PATH. Penstock needs Swift 6.2 or later: https://www.swift.org/install/linux/"; exit 1; }
	@version=$$($(SWIFT) --version 2>&1 | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1); \
	case "$$version" in \
	  6.[2-9]|6.[1-9][0-9]|[7-9].*|[1-9][0-9].*) ;; \
	  *) echo "==> '$(SWIFT)' is Swift $${version:-of a version that it does not tell}. Penstock needs Swift 6.2 or later: https://www.swift.org/install/linux/"; exit 1 ;; \
	esac

$(VALIDATOR)/ready: Makefile
	@echo "==> installing the schema validator (PyPI's jsonschema $(VALIDATOR_VERSION)) into $(VALIDATOR)"
	@rm -rf $(VALIDATOR)
	@$(PYTHON) -m venv $(VALIDATOR)
	@$(VALIDATOR)/bin/python -m pip install --quiet --disable-pip-version-check 'jsonschema==$(VALIDATOR_VERSION)'
	@touch $@

# Where there is no apt, the tests use what is installed, and those that lack their server are left out.
$(SERVERS)/ready: Makefile
	@rm -rf $(SERVERS) && mkdir -p $(SERVERS)/packages
	@if command -v nginx > /dev/null && command -v tinyproxy > /dev/null && command -v microsocks > /dev/null; then \
	  echo "==> the servers of the tests are installed"; \
	elif command -v apt-get > /dev/null; then \
	  echo "==> unpacking the servers of the tests into $(SERVERS)"; \
	  cd $(SERVERS)/packages && \
	  { apt-get download --quiet $(SERVER_PACKAGES) 2> /dev/null \
	    || { apt-get update --quiet && apt-get download --quiet $(SERVER_PACKAGES); }; } && \
	  for package in *.deb; do dpkg-deb --extract "$$package" .. || exit 1; done; \
	else \
	  echo "==> nginx, tinyproxy and microsocks are not all here: tests that need them are left out"; \
	fi
	@touch $@
