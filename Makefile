# Builds, tests, installs and packages Penstock. `make` alone lists the targets.
#
# Every target is safe to repeat: nothing that exists already is installed, built or created again.

PREFIX ?= /usr/local
DESTDIR ?=

SWIFT ?= swift
PYTHON ?= python3

# Packages of Debian and Ubuntu that the build needs in addition to a Swift toolchain.
PACKAGES := libsqlite3-dev libcurl4-openssl-dev libyaml-dev
# Packages that the tests need in addition: Python, for an independent validator of the JSON Schema; OpenSSL, for certificates; zsh; and the shell of SQLite,
# which must be able to read a workspace.
TEST_PACKAGES := python3-venv openssl sqlite3 zsh
# A cluster on one computer, for the tests of executors.
TEST_PACKAGES += slurmctld slurmd slurm-client munge
# The package that verifies the systemd unit, and the highest exposure that is accepted, in tenths.
UNIT_PACKAGES := systemd
UNIT_EXPOSURE := 20
# Servers for the tests of HTTPOperations. They are unpacked into the build folder instead of installed, because the package nginx would start a
# server on all addresses of this computer. They need no libraries beyond those of curl and OpenSSL.
SERVER_PACKAGES := nginx tinyproxy-bin microsocks
SERVERS := .build/test-servers

# The validator and its Python are in the build folder, so that `make clean` removes them.
VALIDATOR := .build/schema-validator
VALIDATOR_VERSION := 4.23.0

# The Swift libraries are linked statically: the tool starts in half the time, and runs on computers without a toolchain.
RELEASE_DIRECTORY := .build/release
RELEASE := $(RELEASE_DIRECTORY)/penstock
# For each generic type such as a dictionary, code normally looks up the type by name at run time, which searches all conformances of the program for that of
# the keys to Hashable. That is slow for a short command. If the compiler supports it, this option makes the code call the function that creates the type instead.
DIRECT_TYPES := -disable-concrete-type-metadata-mangled-name-accessors
DIRECT_TYPES_OPTION = $(shell $(SWIFT) -frontend -help-hidden 2> /dev/null | grep -q -e "$(DIRECT_TYPES)" && \
  echo "-Xswiftc -Xfrontend -Xswiftc $(DIRECT_TYPES)")
# The C++ library, which the Swift runtime needs, is also linked statically if its archive exists: through a folder that does not contain the shared library.
STATIC_LIBRARIES := .build/static-libraries
STATIC_OPTION = -Xswiftc '-L$(CURDIR)/$(STATIC_LIBRARIES)' -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
# The tool has a fixed address: otherwise each start would relocate 110,000 addresses, which takes a tenth of the time of a short command. The addresses of its
# libraries, stack and heap are still random. `make build FIXED_ADDRESS=` randomizes the address of the program as well.
FIXED_ADDRESS := -Xswiftc -Xclang-linker -Xswiftc -no-pie -Xswiftc -Xclang-linker -Xswiftc -Wno-unused-command-line-argument
# A plugin that is loaded from a copy in memory has no folder, so its library is found by the run path of the program. This must be the old form (DT_RPATH):
# only that applies to the dependencies of libraries that are loaded later.
RUN_PATH := -Xlinker --disable-new-dtags -Xlinker '-rpath=$$ORIGIN/../lib/penstock'
# Nothing looks up symbols in the tool: without 23,000 exported names, it loads faster.
RELEASE_OPTIONS = -c release --static-swift-stdlib -Xlinker --no-export-dynamic $(DIRECT_TYPES_OPTION) $(STATIC_OPTION) \
  $(FIXED_ADDRESS) $(RUN_PATH) $(LLD:%=-Xswiftc -use-ld=%) $(NO_UNWIND_TABLES) $(NO_MODULE_HASHES) $(NO_BUILD_PATHS)
# Assertions in C name their files relative to the checkout, so that two checkouts give the same bytes.
NO_BUILD_PATHS := -Xcc '-ffile-prefix-map=$(CURDIR)=.'
# The linker of the toolchain can omit sections; without it, they stay.
LLD = $(shell { command -v ld.lld || ls "$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/ld.lld"; } > /dev/null 2>&1 && echo lld)
# The tables for unwinding the stack, a seventh of the program, are omitted: Swift does not unwind, and debuggers and `perf` follow frame pointers, which Swift code
# keeps. `make build NO_UNWIND_TABLES=` keeps them.
NO_UNWIND_TABLES = $(if $(LLD),-Xlinker --no-eh-frame-hdr -Xlinker --script=$(CURDIR)/packaging/no-unwind-tables.ld)
# The compiler hashes its command line, with the paths of the checkout, into each object. Without these hashes, two checkouts give the same bytes.
NO_MODULE_HASHES = $(if $(LLD),-Xlinker --script=$(CURDIR)/packaging/no-module-hashes.ld)
# The names of the standard plugins, from the manifest. Each is a shared object lib<name>.so.
PLUGINS = $(shell $(SWIFT) package dump-package | sed -n 's/^ *"name" : "\(penstock-[a-z0-9-]*\)".*/\1/p' | grep -vx penstock-host | sort -u)
# The plugins in Swift share one library, so that there is only one runtime: each plugin is a few kilobytes of C in front of it. The library is in the folder
# above the plugins, or beside them in the build folder. The plugin in C is a product of its own.
PLUGIN_PRODUCTS := StandardPlugins penstock-signals
PLUGIN_OPTIONS := -std=c11 -Os -fPIC -shared -s -Wall -Wextra -Werror -ISources/PluginABI/include -Wl,--version-script=Plugins/exports.map \
  -L$(RELEASE_DIRECTORY) -lStandardPlugins -Wl,-z,now -Wl,-z,relro -Wl,--disable-new-dtags '-Wl,-rpath,$$ORIGIN/..:$$ORIGIN'
# Where `make dist` puts the packages.
DIST := dist
# The thread sanitizer has a separate build, because all of its code is instrumented. It uses the package in Tests/ThreadSanitizer, because the package at
# the root would build every target, which takes many times as long and also instruments third-party code.
TSAN_PACKAGE := Tests/ThreadSanitizer
TSAN_BUILD := .build-tsan
TSAN_BUILD_OPTIONS = --sanitize=thread --package-path $(TSAN_PACKAGE) --scratch-path $(TSAN_BUILD)
# A separate build for the address sanitizer, which checks the code that passes memory to C: HTTPOperations. It builds all tests.
ASAN_BUILD := .build-asan
# The number of tests that run at a time. Most tests wait for processes; more of them in parallel would only wait for each other.
TEST_WIDTH ?= 24
LINTED := $(wildcard Sources Tests Benchmarks Plugins) Package.swift

.DEFAULT_GOAL := help
.PHONY: help run run-http test test-tsan test-asan build build-tests install bench bench-host bench-cluster lint format docs soak simulate clean packages test-packages unit-packages verify-unit toolchain build-tool static-libraries install-built dist test-dist test-builds manual

help: ## List the targets
	@echo "usage: make TARGET"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
	@echo
	@echo "PREFIX ($(PREFIX)) and DESTDIR set where install puts the files."

run: build ## Set up, build for release, and run examples/source-report.yaml on this checkout
	@echo "==> penstock run examples/source-report.yaml (its history goes to .penstock)"
	@$(RELEASE) run --workspace .penstock examples/source-report.yaml
	@echo
	@echo "The tool is $(RELEASE); '$(RELEASE) history show last' shows the record of this run."

# With FLAKY=1, two of three requests fail, which shows the retries.
run-http: build ## Start a small feed server on port 8080, and run examples/release-digest.yaml against it; FLAKY=1 makes requests fail
	@$(PYTHON) examples/http/server.py --port 8080 $(if $(FLAKY),--flaky) > /dev/null 2>&1 & server=$$!; \
	trap "kill $$server" EXIT; \
	tries=0; \
	until curl --silent --output /dev/null http://127.0.0.1:8080/; do \
	  kill -0 $$server 2> /dev/null && [ $$tries -lt 100 ] || { echo "the server did not start: is port 8080 in use?"; exit 1; }; \
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
	  echo; echo "==> failures (the full log is .build/tests.log):"; \
	  grep -a -A 16 'recorded an issue' .build/tests.log | grep -av '^. Test .* \(started\|passed\)' | cut -c 1-300 | head -n 40; \
	  echo; grep -a 'Test run with' .build/tests.log | tail -n 1; \
	fi; \
	exit "$$status"

# Reports are written to one file for each process, because tests that start a process do not show its output.
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

# The products are built one after another: the package manager builds either everything or one product.
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

# The C compiler of the toolchain is beside `swift`, or beside the target of the link `swift`.
COMPILERS = "$$(dirname "$$(command -v $(SWIFT))")/clang" "$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/clang" clang cc gcc
find_compiler = for compiler in $(COMPILERS); do command -v "$$compiler" > /dev/null && break; done

# The compiler prints the path of the archive, or only its name if it does not find it.
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

dist: build ## Build a tarball and a Debian package of everything that install installs, with SHA-256 sums, in dist/
	@rm -rf $(DIST)
	@packaging/package $(DIST)

# Needs root, because it installs a Debian in a temporary folder.
test-dist: dist ## As root: follow the tutorial in a fresh Debian, and install, upgrade and purge the package there
	@packaging/test-package $(DIST)

test-builds: dist ## Build the packages again in another folder, and compare their bytes
	@packaging/test-builds $(DIST)

# The pages are checked with groff, if it is installed.
manual: build-tests ## Write the manual pages from the tool's help, and check them
	@rm -rf .build/manual && packaging/manual .build/debug/penstock .build/manual/man1
	@echo "==> $$(ls .build/manual/man1 | wc -l) pages in .build/manual/man1"
	@command -v groff > /dev/null || { echo "==> groff is not installed: the pages were not checked"; exit 0; }; \
	problems=$$(for page in .build/manual/man1/*.1; do groff -I.build/manual -Kutf8 -man -ww -Tutf8 -z "$$page" 2>&1; done); \
	[ -z "$$problems" ] || { echo "$$problems"; exit 1; }

# Checks a copy of the unit that names an existing program. Skipped if systemd-analyze cannot be installed.
verify-unit: ## Have systemd check packaging/penstock.service
	@command -v systemd-analyze > /dev/null || ! command -v dpkg-query > /dev/null || $(MAKE) --no-print-directory unit-packages
	@if ! command -v systemd-analyze > /dev/null; then echo "==> systemd-analyze is not installed: the unit was not verified"; exit 0; fi; \
	mkdir -p .build/unit && sed 's|/usr/local/bin/penstock|/bin/true|' packaging/penstock.service > .build/unit/penstock.service && \
	echo "==> systemd-analyze verify" && \
	systemd-analyze verify --man=no .build/unit/penstock.service && \
	echo "==> systemd-analyze security" && \
	systemd-analyze security --offline=true --threshold=$(UNIT_EXPOSURE) --no-pager .build/unit/penstock.service > .build/unit/security; \
	status=$$?; tail -n 1 .build/unit/security; test $$status = 0 || exit $$status; \
	for name in $$(sed -n 's/^✗ \([A-Za-z]*\)=.*/\1/p' .build/unit/security | sort -u); do \
	  sed '1,/^# Left off/d' packaging/penstock.service | grep -q "^# .*$$name=" || { echo "penstock.service does not say why $$name= is left off"; exit 1; }; \
	done

bench: toolchain packages ## Compare with lower bounds written in C, and with other tools
	@$(MAKE) -C Benchmarks

bench-host: toolchain packages ## Compare penstock serve with its goals, in 25 minutes; BENCH_QUICK=1 only shows that it works
	@$(MAKE) -C Benchmarks host

bench-cluster: build-tool ## Compare jobs of a Slurm cluster with a bare sbatch
	@Benchmarks/Slurm/measure

lint: toolchain ## Check the layout of the sources, the directions of imports, and the pages of modules
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

# Simulated hosts are a separate optimized build, because they need @testable access, which the tool must not offer.
SIMULATION_BUILD := .build-simulation
SIMULATION_OPTIONS = -c release -Xswiftc -enable-testing --scratch-path $(SIMULATION_BUILD)
SIMULATION ?= --pipelines 1000 --days 30 --restarts 60 --kills 20 --runs 160 --processes 200

simulate: toolchain packages ## Simulate hosts through a month with 1,000 pipelines; SIMULATION="--days 5" changes its size
	@for product in SimulatedHosts penstock-cron penstock-interval; do \
	  echo "==> swift build -c release --product $$product"; \
	  $(SWIFT) build $(SIMULATION_OPTIONS) --product "$$product" || exit 1; \
	done
	@"$$($(SWIFT) build $(SIMULATION_OPTIONS) --show-bin-path)/SimulatedHosts" --progress $(SIMULATION)

soak: toolchain packages simulate ## Run the long tests at their full length
	@PENSTOCK_SOAK=full $(SWIFT) test --filter "SoakTests|ManyRunsTests|StoreStressTests|WorkspaceTests|HTTPDownloadKillTests|WireFuzzTests|RelocationTests|StandardPluginTests"

clean: ## Remove everything that was built (the history in .penstock stays)
	rm -rf .build $(DIST) $(TSAN_BUILD) $(ASAN_BUILD) $(SIMULATION_BUILD) Benchmarks/.build Benchmarks/Micro/.build Benchmarks/HTTP/.build

# Installs those of the packages $(1) that are missing, or says how to.
define install_packages
	@if ! command -v dpkg-query > /dev/null; then \
	  echo "==> this is neither Debian nor Ubuntu: install the equivalents of these packages: $(1)"; \
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
	  echo "    Installing them needs root or sudo. Run this as root, then try again:"; \
	  echo "    apt-get update && $$install"; \
	  exit 1; \
	fi; \
	echo "==> installing missing packages:$$missing"; \
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
	  echo "==> '$(SWIFT)' is not in PATH. Penstock needs Swift 6.2 or later: https://www.swift.org/install/linux/"; exit 1; }
	@version=$$($(SWIFT) --version 2>&1 | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1); \
	case "$$version" in \
	  6.[2-9]|6.[1-9][0-9]|[7-9].*|[1-9][0-9].*) ;; \
	  *) echo "==> '$(SWIFT)' is Swift $${version:-of an unknown version}. Penstock needs Swift 6.2 or later: https://www.swift.org/install/linux/"; exit 1 ;; \
	esac

$(VALIDATOR)/ready: Makefile
	@echo "==> installing the schema validator (PyPI's jsonschema $(VALIDATOR_VERSION)) into $(VALIDATOR)"
	@rm -rf $(VALIDATOR)
	@$(PYTHON) -m venv $(VALIDATOR)
	@$(VALIDATOR)/bin/python -m pip install --quiet --disable-pip-version-check 'jsonschema==$(VALIDATOR_VERSION)'
	@touch $@

# Without apt, the tests use the servers that are installed, and tests whose server is missing are skipped.
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
	  echo "==> not all of nginx, tinyproxy and microsocks are installed: tests that need a missing one are skipped"; \
	fi
	@touch $@
