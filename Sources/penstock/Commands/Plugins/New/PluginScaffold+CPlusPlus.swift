extension PluginScaffold {
  var filesInCPlusPlus: [File] {
    [
      File(path: "NAME.cpp".replacing("NAME", with: name), text: filled(Self.sourceInCPlusPlus)),
      File(
        path: "Makefile",
        text: makefile(
          sources: "NAME.cpp penstock/plugin.h", variables: "CXXFLAGS ?= -O2 -g -Wall -Wextra",
          build:
            "$(CXX) $(CXXFLAGS) -std=c++11 -I. -fPIC -fvisibility=hidden -shared -pthread $(LDFLAGS) -o $@ NAME.cpp")),
      pipeline("NAME.so".replacing("NAME", with: name)),
      File(path: "penstock/plugin.h", text: Self.header),
      File(path: ".gitignore", text: "*.so\ndist\n"),
    ]
  }

  private static let sourceInCPlusPlus = #"""
    // The plugin NAME: one operation, which returns a greeting after a moment.
    //
    // penstock/plugin.h documents the functions here: which threads call them, who frees memory, and in which order they are called.
    // No exception may leave a function of the contract, because the caller is C.
    #include <penstock/plugin.h>

    #include <signal.h>

    #include <chrono>
    #include <condition_variable>
    #include <exception>
    #include <mutex>
    #include <string>
    #include <system_error>
    #include <thread>

    namespace {

    const penstock_host *host;
    const penstock_instance_service *instances;

    penstock_text text(const std::string &string) { return penstock_text{string.data(), string.size()}; }

    // Describes the plugin and its offers. When Penstock loads a pipeline file, it checks each `with:` against the settings and fills
    // in defaults; when an operation ends, it checks the result against `result`.
    penstock_text describe() {
      return PENSTOCK_TEXT(R"({
        "id": "NAME", "version": "0.1.0", "summary": "Says hello",
        "offers": [{"kind": "operation", "id": "NAME.greet", "summary": "Greets somebody", "result": "{whom: string}",
                    "settings": [{"name": "whom", "type": "string", "summary": "Who is greeted", "default": "world"}]}]})");
    }

    penstock_status open_plugin(const penstock_host *the_host) {
      host = the_host;
      instances = static_cast<const penstock_instance_service *>(host->service(host, PENSTOCK_INSTANCE));
      return instances != nullptr ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
    }

    void fail(penstock_id id, const char *code, const char *message) {
      instances->fail(host, id, text(std::string("{\"code\":\"") + code + "\",\"message\":\"" + message + "\"}"));
    }

    // One attempt of the operation, with its own thread: no function of the contract may take long.
    class Greeting {
     public:
      // Text from the host is valid only until `create` returns.
      Greeting(penstock_id id, penstock_text settings) : id_(id), settings_(settings.bytes, settings.length) {}

      // The host never calls `destroy` on a thread of the plugin, so the destructor can wait for the thread.
      ~Greeting() {
        stop();
        if (thread_.joinable()) thread_.join();
      }

      void start() {
        // The host waits for some signals: a new thread must block all signals, and inherits its mask from the thread that starts it.
        sigset_t all, former;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &former);
        try {
          thread_ = std::thread(&Greeting::work, this);
        } catch (const std::system_error &) {
          fail(id_, "no-thread", "cannot create a thread");
        }
        pthread_sigmask(SIG_SETMASK, &former, nullptr);
      }

      void stop() {
        std::lock_guard<std::mutex> guard(mutex_);
        is_stopped_ = true;
        changed_.notify_all();
      }

     private:
      void work() {
        bool is_stopped;
        {
          std::unique_lock<std::mutex> guard(mutex_);
          is_stopped = changed_.wait_for(guard, std::chrono::milliseconds(10), [this] { return is_stopped_; });
        }
        if (is_stopped) {
          fail(id_, "cancelled", "it was stopped");
        } else {
          instances->complete(host, id_, text(settings_));
        }
      }

      const penstock_id id_;
      const std::string settings_;  // JSON, such as {"whom":"world"}
      std::mutex mutex_;
      std::condition_variable changed_;
      bool is_stopped_ = false;
      std::thread thread_;
    };

    penstock_status create(penstock_id id, penstock_text, penstock_text settings, void **instance) {
      try {
        *instance = new Greeting(id, settings);
        return PENSTOCK_OK;
      } catch (const std::exception &) {
        fail(id, "out-of-memory", "out of memory");
        return PENSTOCK_FAILED;
      }
    }

    // The input is {"requirement": the injected value, "attempt": 1, …}.
    void start(void *instance, penstock_text) { static_cast<Greeting *>(instance)->start(); }

    void stop(void *instance, uint64_t) { static_cast<Greeting *>(instance)->stop(); }

    void destroy(void *instance) { delete static_cast<Greeting *>(instance); }

    const penstock_functions operations = {sizeof(penstock_functions), 0, create, start, stop, destroy};

    const void *capability(penstock_text id) {
      return penstock_text_equals(id, PENSTOCK_OPERATION) ? &operations : nullptr;
    }

    }  // namespace

    PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
        sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0, 0, 0},
        describe, open_plugin, nullptr, capability};

    """#
}
