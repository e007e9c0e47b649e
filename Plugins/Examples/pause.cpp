// A plugin in C++: the operation `pause` waits on its own thread, and can be stopped at any moment.
//
//   g++ -std=c++11 -shared -fPIC -pthread -I Sources/PluginABI/include -o pause.so Plugins/Examples/pause.cpp
//   penstock plugins check pause.so
//
// Exceptions must not cross into C, so every function of the contract catches them.
#include <penstock/plugin.h>

#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

namespace {

const penstock_host *host;
const penstock_instance_service *instances;

penstock_text text(const std::string &string) { return penstock_text{string.data(), string.size()}; }

penstock_text describe() {
  return PENSTOCK_TEXT(R"({
    "id": "pause", "version": "1.0.0", "summary": "An example in C++",
    "offers": [{"kind": "operation", "id": "pause", "summary": "Waits a moment, and returns its input",
                "requirement": "json"}]})");
}

penstock_status open_plugin(const penstock_host *the_host) {
  host = the_host;
  instances = static_cast<const penstock_instance_service *>(host->service(host, PENSTOCK_INSTANCE));
  return instances != nullptr ? PENSTOCK_OK : PENSTOCK_UNAVAILABLE;
}

void fail(penstock_id id, const char *code, const char *message) {
  instances->fail(host, id, text(std::string("{\"code\":\"") + code + "\",\"message\":\"" + message + "\"}"));
}

// One attempt. Its thread does not outlive the instance: 'destroy' waits for it.
class Attempt {
 public:
  explicit Attempt(penstock_id id) : id_(id) {}

  // The host never calls 'destroy' on one of the plugin's threads.
  ~Attempt() {
    stop();
    if (thread_.joinable()) thread_.join();
  }

  void start(std::string input) {
    // The host waits for some signals, so a new thread must block all of them; it inherits the mask of the thread that starts it.
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    try {
      thread_ = std::thread(&Attempt::work, this, std::move(input));
    } catch (const std::system_error &) {
      pthread_sigmask(SIG_SETMASK, &former, nullptr);
      fail(id_, "no-thread", "cannot create a thread");
      return;
    }
    pthread_sigmask(SIG_SETMASK, &former, nullptr);
  }

  void stop() {
    std::lock_guard<std::mutex> guard(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
  }

 private:
  void work(std::string input) {
    bool is_stopped;
    {
      std::unique_lock<std::mutex> guard(mutex_);
      is_stopped = changed_.wait_for(guard, std::chrono::milliseconds(5), [this] { return is_stopped_; });
    }
    if (is_stopped) {
      fail(id_, "cancelled", "it was stopped while waiting");
    } else if (instances->complete(host, id_, text(input)) == PENSTOCK_INVALID) {
      fail(id_, "no-json", "its input is not JSON");
    }
  }

  const penstock_id id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopped_ = false;
  std::thread thread_;
};

penstock_status create(penstock_id id, penstock_text, penstock_text, void **instance) {
  try {
    *instance = new Attempt(id);
    return PENSTOCK_OK;
  } catch (const std::exception &) {
    fail(id, "out-of-memory", "out of memory");
    return PENSTOCK_FAILED;
  }
}

void start(void *instance, penstock_text input) {
  static_cast<Attempt *>(instance)->start(std::string(input.bytes != nullptr ? input.bytes : "", input.length));
}

void stop(void *instance, uint64_t) { static_cast<Attempt *>(instance)->stop(); }

void destroy(void *instance) { delete static_cast<Attempt *>(instance); }

const penstock_functions operations = {sizeof(penstock_functions), 0, create, start, stop, destroy};

const void *capability(penstock_text id) {
  return penstock_text_equals(id, PENSTOCK_OPERATION) ? &operations : nullptr;
}

}  // namespace

PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
    sizeof(penstock_plugin_entry), PENSTOCK_ABI_MAJOR, PENSTOCK_ABI_MINOR, 0, {0, 0, 0},
    describe, open_plugin, nullptr, capability};
