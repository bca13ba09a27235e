package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/turnpike-edge/turnpike/backend/app"
)

// devProgram is the program of `turnpike dev`. It is separate because the development chain is a fifth of it, and nobody
// deploys one.
const devProgram = "turnpike-dev"

func devCommand(cmd *cobra.Command) {
	cmd.Long = `Runs everything on this machine: a private Postgres, a development chain with its own USDC, the web
data API and the edge in front of it, with a demo team, API key and wallet.

It starts the program ` + devProgram + `, which is beside this one or on the PATH, and shows all flags with --help.`
	start(cmd, devProgram, func(program string, args []string) error {
		// Its name tells it how the user calls this program, for the commands that it prints.
		return syscall.Exec(program, append([]string{os.Args[0] + "-dev"}, args...), os.Environ())
	})
}

// cliProgram is the program of the client's commands. It is separate because it is also used where no server is, and on
// other systems.
const cliProgram = "turnpike-cli"

// verbs are the client's commands.
var verbs = []struct{ name, usage, short string }{
	{"scrape", "<url>…", "Reads pages"},
	{"search", "<query>", "Searches the web"},
	{"ask", "<task>", "Answers a question from the web, with its sources"},
	{"map", "<url>", "Lists the URLs of a site"},
	{"crawl", "<url>", "Reads the pages of a site"},
	{"batch", "<url…>", "Reads many pages"},
	{"monitor", "<command>", "Watches pages for changes"},
	{"mcp", "", "Gives a service's tools to an MCP client on standard input and output"},
}

func clientCommand(cmd *cobra.Command) {
	cmd.Long = cmd.Short + ", by API key or by wallet.\n\nIt starts the program " + cliProgram + ", which is beside this one or on the PATH, and shows all flags with --help."
	start(cmd, cliProgram, func(program string, args []string) error {
		// Help and errors name this program.
		return syscall.Exec(program, append([]string{cliProgram, cmd.Name()}, args...), append(os.Environ(), "TURNPIKE_CLI_NAME="+os.Args[0]))
	})
}

// start makes cmd start another program of ours. All flags are that program's, --help too.
func start(cmd *cobra.Command, name string, run func(program string, args []string) error) {
	cmd.DisableFlagParsing = true
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		program, err := findBeside(name)
		if err != nil {
			return err
		}
		return fmt.Errorf("starting %s: %w", program, run(program, args))
	}
}

// findBeside finds another program of ours.
func findBeside(program string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", program, err)
	}
	for _, name := range []string{filepath.Join(filepath.Dir(self), program), program} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is neither in %s nor on the PATH: run `make build` in a clone of Turnpike, and copy bin/%[1]s there", program, filepath.Dir(self))
}

// examineDev asks the program of `turnpike dev`, if it is installed, whether this machine has what it needs.
func examineDev(ctx context.Context) app.Finding {
	program, err := findBeside(devProgram)
	if err != nil {
		return app.Finding{Name: "turnpike dev", OK: true, Text: "not installed; only development needs " + devProgram}
	}
	said, err := exec.CommandContext(ctx, program, "--check").CombinedOutput()
	text := strings.TrimPrefix(strings.TrimSpace(string(said)), "Error: ")
	if text == "" && err != nil {
		text = err.Error()
	}
	return app.Finding{Name: "Postgres binaries (turnpike dev, tests)", OK: err == nil, Text: text}
}
