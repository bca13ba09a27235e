package main

import (
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

	turnpike "github.com/turnpike-edge/turnpike/sdk/go"
)

func monitorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "monitor", Short: "Watches pages for changes",
		Example: "  turnpike monitor create 'Tell me when the price of https://shop.example/kettle changes' --email ann@example.com\n  turnpike monitor events monitor_…",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q: see %s --help", args[0], cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(monitorCreateCommand(),
		monitorList("list", "Lists monitors", cobra.NoArgs, func(s *session, _ string) iter.Seq2[*turnpike.Monitor, error] {
			return s.Monitors(s.cmd.Context(), nil)
		}, func(m *turnpike.Monitor) string { return fmt.Sprintf("%s\t%s\t%s", m.ID, m.Status, m.Query) }),
		monitorList("events <monitor id>", "Lists what a monitor has seen, latest first", cobra.ExactArgs(1), func(s *session, id string) iter.Seq2[*turnpike.MonitorEvent, error] {
			return s.MonitorEvents(s.cmd.Context(), id, nil)
		}, func(e *turnpike.MonitorEvent) string {
			return fmt.Sprintf("%s\t%t\t%s", e.ID, e.Changed, orElse(e.Summary, e.Status))
		}),
		monitorAction("get", "Shows a monitor", func(s *session, id string) (any, error) { return s.GetMonitor(s.cmd.Context(), id, nil) }),
		monitorAction("run", "Runs a monitor now", func(s *session, id string) (any, error) { return s.RunMonitor(s.cmd.Context(), id) }),
		monitorAction("pause", "Pauses a monitor", func(s *session, id string) (any, error) { return s.PauseMonitor(s.cmd.Context(), id) }),
		monitorAction("resume", "Resumes a monitor", func(s *session, id string) (any, error) { return s.ResumeMonitor(s.cmd.Context(), id) }),
		monitorAction("delete", "Deletes a monitor", func(s *session, id string) (any, error) { return s.DeleteMonitor(s.cmd.Context(), id) }))
	return cmd
}

func monitorCreateCommand() *cobra.Command {
	fields := []field{
		{"frequency", "frequency", "", "how often, such as 'every 2 hours' (default: every hour)"},
		{"webhook", "webhook.url", "", "address that gets the events"},
		{"events", "notification.events", []string(nil), "events to send: changed, completed, failed (default: changed)"},
	}
	cmd := &cobra.Command{Use: "create <query>", Short: "Creates a monitor, and waits until it is planned", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringSlice("email", nil, "addresses that get mail")
	cmd.Flags().String("schema", "", "`file` with a JSON Schema of the fields to compare")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := open(cmd)
		if err != nil {
			return err
		}
		body, err := request[turnpike.MonitorRequest](cmd, fields)
		if err != nil {
			return err
		}
		if emails, _ := cmd.Flags().GetStringSlice("email"); len(emails) > 0 {
			if body.Notification == nil {
				body.Notification = &turnpike.MonitorNotificationInput{}
			}
			for _, address := range emails {
				body.Notification.Channels = append(body.Notification.Channels, turnpike.MonitorChannelInput{Type: "email", Target: address})
			}
		}
		if path, _ := cmd.Flags().GetString("schema"); path != "" {
			text, err := os.ReadFile(path)
			if err == nil {
				err = json.Unmarshal(text, &body.OutputSchema)
			}
			if err != nil {
				return fmt.Errorf("%w: --schema: %w", errUsage, err)
			}
		}
		ctx := cmd.Context()
		created, err := s.Monitor(ctx, args[0], body)
		if err != nil {
			return err
		}
		for step, err := range s.MonitorSteps(ctx, created.ID) {
			if err != nil {
				return err
			}
			var phase struct {
				Message string `json:"message"`
			}
			if step.Event == "phase" && json.Unmarshal(step.Data, &phase) == nil && s.isTerminal() {
				s.say("%s", phase.Message)
			}
		}
		planned, err := s.GetMonitor(ctx, created.ID, nil)
		if err != nil {
			return err
		}
		if planned.Status == "failed" {
			return fmt.Errorf("%w: %s: %s", errJob, planned.ID, planned.ErrorMessage)
		}
		return toOutput(cmd, func(p *printer) error { return p.print(planned, nil) })
	}
	return withForm(withFields(cmd, fields...), asJSON)
}

func monitorAction(name, short string, do func(*session, string) (any, error)) *cobra.Command {
	cmd := &cobra.Command{Use: name + " <monitor id>", Short: short, Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := open(cmd)
		if err != nil {
			return err
		}
		result, err := do(s, args[0])
		if err != nil {
			return err
		}
		return toOutput(cmd, func(p *printer) error { return p.print(result, nil) })
	}
	return withForm(cmd, asJSON)
}

func monitorList[T any](use, short string, args cobra.PositionalArgs, list func(*session, string) iter.Seq2[*T, error], line func(*T) string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: args}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := open(cmd)
		if err != nil {
			return err
		}
		return toOutput(cmd, func(p *printer) error {
			for item, err := range list(s, strings.Join(args, "")) {
				if err != nil {
					return err
				}
				if err := p.print(item, func() string { return line(item) }); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return withForm(cmd, asMarkdown)
}
