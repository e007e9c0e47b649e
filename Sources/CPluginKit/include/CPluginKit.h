#ifndef PENSTOCK_CPLUGINKIT_H
#define PENSTOCK_CPLUGINKIT_H

// Defines a data symbol with constants for PluginKit, which Swift cannot do. The functions of the symbol forward to the table that the
// plugin's `main` registers.

#include <penstock/plugin.h>

/// The functions behind `penstock_plugin`. All are required; see penstock_plugin_entry for what they must do.
typedef struct {
  penstock_text (*describe)(void);
  penstock_status (*open)(const penstock_host *host);
  void (*close)(void);
  const void *(*capability)(penstock_text id);
} penstock_kit_functions;

/// Makes the exported symbol forward to `functions`, which are copied. The plugin's `main` calls this first.
void penstock_kit_register(const penstock_kit_functions *functions);

#endif
