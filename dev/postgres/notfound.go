package postgres

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// NotFoundError says that this machine has no suitable server binaries.
type NotFoundError struct {
	// Major is the required version, 0 if any from MinimumMajor on.
	Major int
	// Command installs them.
	Command string
	// Rejected are the unsuitable sets of binaries that were found, with the reasons.
	Rejected []string
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	if e.Major != 0 {
		fmt.Fprintf(&b, "no PostgreSQL %d server binaries found", e.Major)
	} else {
		fmt.Fprintf(&b, "no PostgreSQL server binaries (version %d or newer) found", MinimumMajor)
	}
	if len(e.Rejected) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(e.Rejected, "; "))
	}
	fmt.Fprintf(&b, "; install them with: %s", e.Command)
	return b.String()
}

func fsGlob(root, pattern string) ([]string, error) {
	return fs.Glob(os.DirFS(root), pattern)
}

// installCommand is the command that installs server binaries on this machine.
func installCommand(root string, major int) string {
	sudo := "sudo "
	if os.Geteuid() == 0 {
		sudo = ""
	}
	suffix := func(format string) string {
		if major == 0 {
			return ""
		}
		return fmt.Sprintf(format, major)
	}
	if runtime.GOOS == "darwin" {
		version := suffix("%d")
		if version == "" {
			version = "17"
		}
		return "brew install postgresql@" + version
	}
	for _, id := range osFamily(root) {
		switch id {
		case "debian", "ubuntu":
			return sudo + "apt-get install -y postgresql" + suffix("-%d")
		case "fedora", "rhel", "centos":
			return sudo + "dnf install -y postgresql" + suffix("%d") + "-server"
		case "alpine":
			version := suffix("%d")
			if version == "" {
				version = "17"
			}
			return sudo + "apk add postgresql" + version
		case "arch":
			return sudo + "pacman -S --noconfirm postgresql"
		case "suse", "opensuse":
			return sudo + "zypper install -y postgresql" + suffix("%d") + "-server"
		}
	}
	return sudo + "apt-get install -y postgresql" + suffix("-%d")
}

// osFamily reads ID and ID_LIKE of os-release(5), most specific first.
func osFamily(root string) []string {
	f, err := os.Open(filepath.Join("/", root, "etc/os-release"))
	if err != nil {
		return nil
	}
	defer f.Close()
	var id, like []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "=")
		value = strings.ToLower(strings.Trim(value, `"'`))
		switch name {
		case "ID":
			id = strings.Fields(value)
		case "ID_LIKE":
			like = strings.Fields(value)
		}
	}
	return append(id, like...)
}
