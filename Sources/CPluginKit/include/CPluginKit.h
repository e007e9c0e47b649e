#ifndef PENSTOCK_CPLUGINKIT_H
#define PENSTOCK_CPLUGINKIT_H

// What PluginKit needs of C: a data symbol with constants in it, which Swift cannot define. The symbol's functions forward to the table
// that the plugin's `main` registers.

#include <penstock/plugin.h>

/// The functions behind `penstock_plugin`. All are required; see penstock_plugin_entry for what they must do.
typedef struct {
  penstock_text (*describe)(void);
  penstock_status (*open)(const penstock_host *host);
  void (*close)(void);
  const void *(*capability)(penstock_text id);
} penstock_kit_functions;

/// Lets the exported symbol forward to `functions`, which are copied. Called by the plugin's `main`, before anything else.
void penstock_kit_register(const penstock_kit_functions *functions);

#endif
