package app

import "runtime/debug"

// Version returns the module's version as the Go tool recorded it, "dev" in a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}
