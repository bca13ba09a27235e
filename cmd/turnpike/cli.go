package main

import (
	"os"
	"syscall"

	"github.com/spf13/cobra"
)

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
