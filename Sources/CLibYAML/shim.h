// The system's libyaml, as it is. `PipelineLanguage` reads its events; nothing else uses it.

#include <yaml.h>
