// The process in which the tests of the validator make a check: what the tool does with a hidden command.

import PluginHost

PluginCheckChild.run(Array(CommandLine.arguments.dropFirst()))
