// Command withpg runs a command with a throwaway PostgreSQL server: it passes the server's address in
// TURNPIKE_TEST_POSTGRES_URL, and removes the server when the command ends.
//
//	go run ./dev/pgtest/withpg -- go test ./...
//
// All test processes then share one server instead of starting one each. If the variable is set already, the command is
// simply run. The exit code is the command's, 128 plus the number of the signal that ended it, or 125 if there was no
// server (`go run` itself shows any of them as "exit status N" and ends with 1). Signals are passed on.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/turnpike-edge/turnpike/dev/pgtest"
)

const (
	exitUsage       = 2
	exitNoServer    = 125
	exitCannotStart = 127
	exitSignal      = 128

	startTimeout = 2 * time.Minute
	stopTimeout  = time.Minute
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: withpg [--] <command> [<argument>...]")
		os.Exit(exitUsage)
	}
	// From here on signals are passed to the command, and this process waits for its end.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	os.Exit(run(args, signals))
}

func run(args []string, signals <-chan os.Signal) (code int) {
	if os.Getenv(pgtest.EnvURL) != "" {
		return command(args, os.Environ(), signals)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	server, err := pgtest.TempServer(ctx)
	if err != nil {
		fmt.Fprintf(os.Stderr, "withpg: %v\n", err)
		return exitNoServer
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			fmt.Fprintf(os.Stderr, "withpg: %v\n", err)
			code = max(code, 1)
		}
	}()
	return command(args, append(os.Environ(), pgtest.EnvURL+"="+server.URL("postgres")), signals)
}

// command runs args to the end and returns the exit code that a shell would.
func command(args, env []string, signals <-chan os.Signal) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "withpg: %v\n", err)
		return exitCannotStart
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case sig := <-signals:
			// Fails only if the command has just ended, which is then the next event.
			_ = cmd.Process.Signal(sig)
		case err := <-ended:
			return exitCode(err)
		}
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		fmt.Fprintf(os.Stderr, "withpg: %v\n", err)
		return exitCannotStart
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignal + int(status.Signal())
	}
	return exit.ExitCode()
}
