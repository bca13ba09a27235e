// The xcaddy program runs xcaddy with the settings of xcaddy.json. The file has the fields of xcaddy's Builder type.
// xcaddy itself reads no such file, so the program turns them into arguments and environment variables.
//
// usage: go run ./scripts/xcaddy [-file xcaddy.json] [-output bin/caddy] [-print]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

func main() {
	file := flag.String("file", "xcaddy.json", "`file` that describes the build")
	output := flag.String("output", "bin/caddy", "path of the binary to write")
	printOnly := flag.Bool("print", false, "print the command without running it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *file, *output, *printOnly)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "xcaddy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file, output string, printOnly bool) error {
	b, err := read(file)
	if err != nil {
		return err
	}
	args, err := b.args(output)
	if err != nil {
		return err
	}
	env := b.env()
	words := append(append([]string{"env"}, env...), append([]string{"xcaddy"}, args...)...)
	fmt.Println(strings.Join(quoted(words), " "))
	if printOnly {
		return nil
	}
	cmd := exec.CommandContext(ctx, "xcaddy", args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running xcaddy: %w", err)
	}
	return nil
}

// quoted returns words quoted for a shell.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		if strings.ContainsAny(w, " '\"$\\") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return out
}
