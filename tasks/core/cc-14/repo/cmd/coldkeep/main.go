// Command coldkeep keeps an archive of dumps tidy.
package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"example.org/coldkeep/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	app := cli.App{Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now}
	if program := os.Getenv("COLDKEEP_HOOK"); program != "" {
		app.Hook = func(ctx context.Context, command string, dumps []string) error {
			hook := exec.CommandContext(ctx, program, append([]string{command}, dumps...)...)
			hook.Stdout, hook.Stderr = os.Stderr, os.Stderr
			return hook.Run()
		}
	}
	code := app.Run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}
