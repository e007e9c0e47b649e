#include "CPluginKit.h"
