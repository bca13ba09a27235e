package instance

import (
	"os"
	"strings"
)

// bootID identifies the running kernel; a container has its host's. Empty if it is unknown.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
