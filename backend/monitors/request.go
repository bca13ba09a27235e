package monitors

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/api/metadata"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/frequency"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/monitors/plan"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

const (
	// QueryCharsMax is how long a query may be.
	QueryCharsMax = 2000
	// PolicyMax is how many entries each list of a source policy may have.
	PolicyMax = 100
	// ChannelsMax is how many channels a monitor may have.
	ChannelsMax = 20
	// SchemaBytesMax is how large an output_schema may be.
	SchemaBytesMax = 64 << 10
	// FrequencyDefault is the frequency of a monitor whose request names none.
	FrequencyDefault = "every hour"

	domainBytesMax = 253
)

// Request is the body of POST /v1/monitors.
type Request struct {
	Query        string             `json:"query" minLength:"1" maxLength:"2000" doc:"What to watch, in plain language. The monitor reads the URLs and domains that the query names." example:"Tell me when the price of https://shop.example/kettle changes"`
	SourcePolicy *PolicyInput       `json:"source_policy,omitempty" doc:"The URLs and domains that the monitor may read."`
	Frequency    *string            `json:"frequency,omitempty" maxLength:"50" doc:"How often the monitor runs, in words and in UTC, such as \"every 2 hours\" or \"weekdays at 9am\". Runs must be at least 10 minutes apart. Default: every hour." example:"twice a day"`
	Notification *NotificationInput `json:"notification,omitempty"`
	Webhook      *WebhookInput      `json:"webhook,omitempty"`
	Metadata     metadata.Input     `json:"metadata,omitempty"`
	OutputSchema JSONObject         `json:"output_schema,omitempty" doc:"A JSON Schema of type object. Its fields are extracted from each page and compared one by one."`
}

// UpdateRequest is the body of POST /v1/monitors/{monitor_id}.
type UpdateRequest struct {
	Frequency    *string            `json:"frequency,omitempty" maxLength:"50" doc:"As in creation. \"\" resets it to the default."`
	Notification *NotificationInput `json:"notification,omitempty" doc:"The given fields replace the current ones."`
	Webhook      *WebhookInput      `json:"webhook,omitempty"`
	Metadata     metadata.Input     `json:"metadata,omitempty" doc:"Merged into the existing metadata. \"\" or null deletes a key."`
}

// PolicyInput is the source policy of a request.
type PolicyInput struct {
	IncludeURLs    []string `json:"include_urls,omitempty" nullable:"false" maxItems:"100" doc:"Globs of the URLs that may be read."`
	ExcludeURLs    []string `json:"exclude_urls,omitempty" nullable:"false" maxItems:"100" doc:"Globs of the URLs that are never read."`
	IncludeDomains []string `json:"include_domains,omitempty" nullable:"false" maxItems:"100" doc:"Bare hosts, such as example.com, whose pages may be read. Subdomains are included."`
	ExcludeDomains []string `json:"exclude_domains,omitempty" nullable:"false" maxItems:"100" doc:"Bare hosts, such as example.com, whose pages are never read. Subdomains are included."`
}

// NotificationInput is the notification of a request.
type NotificationInput struct {
	Events   []string       `json:"events,omitempty" nullable:"false" doc:"The events to send: changed, completed, failed. Default: changed."`
	Channels []ChannelInput `json:"channels,omitempty" nullable:"false" maxItems:"20"`
}

// ChannelInput is a channel of a request.
type ChannelInput struct {
	Type   string   `json:"type,omitempty" doc:"The type of the channel: email, slack or webhook. Default: email, if target is an email address."`
	Target string   `json:"target" doc:"An email address, the URL of a Slack webhook, or the URL to POST to. A channel whose target is \"\" is ignored."`
	Events []string `json:"events,omitempty" nullable:"false" doc:"The events that are sent to this channel. Default: the notification's events."`
}

// WebhookInput is the webhook of a request.
type WebhookInput struct {
	URL string `json:"url" maxLength:"2048" doc:"The URL that events are POSTed to; \"\" for none."`
}

// given is the trimmed URL; "" if there is none.
func (i WebhookInput) given() string { return strings.TrimSpace(i.URL) }

// order is a checked request.
type order struct {
	query        string
	policy       plan.SourcePolicy
	schema       []byte
	frequency    string
	parsed       frequency.Frequency
	notification []byte
	webhook      *string
	metadata     []byte
	digest       [sha256.Size]byte
}

// order checks all of r. The error is a problem that names every fault.
func (s *Service) order(r *Request) (*order, error) {
	o := &order{query: strings.TrimSpace(r.Query), schema: r.OutputSchema}
	var faults []problem.Fault
	if n := utf8.RuneCountInString(r.Query); o.query == "" || n > QueryCharsMax || strings.ContainsRune(r.Query, 0) {
		faults = append(faults, problem.BodyFault("query", fmt.Sprintf("must be text of 1 to %d characters", QueryCharsMax)))
	}
	if r.SourcePolicy != nil {
		o.policy = plan.SourcePolicy(*r.SourcePolicy)
		faults = append(faults, policyFaults(&o.policy)...)
	}
	faults = append(faults, schemaFaults(r.OutputSchema)...)
	o.frequency = FrequencyDefault
	if r.Frequency != nil && *r.Frequency != "" {
		o.frequency = *r.Frequency
	}
	var fault []problem.Fault
	o.parsed, fault = parseFrequency(o.frequency)
	faults = append(faults, fault...)
	notification, more := s.notification(r.Notification)
	faults = append(faults, more...)
	if notification["events"] == nil {
		notification["events"] = []string{outbox.EventChanged}
	}
	if notification["channels"] == nil {
		notification["channels"] = []outbox.Channel{}
	}
	o.webhook, more = s.webhook(r.Webhook)
	faults = append(faults, more...)
	if len(faults) > 0 {
		return nil, problem.Validation(faults...)
	}
	stored, err := metadata.Parse(r.Metadata)
	if err != nil {
		return nil, err
	}
	canonical, err := json.Marshal(r)
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("writing the request: %w", err))
	}
	o.digest = sha256.Sum256(canonical)
	if o.notification, err = json.Marshal(notification); err == nil {
		o.metadata, err = json.Marshal(stored)
	}
	if err != nil {
		return nil, problem.Internal(fmt.Errorf("writing a monitor: %w", err))
	}
	return o, nil
}

// parseFrequency parses how often a monitor runs.
func parseFrequency(text string) (frequency.Frequency, []problem.Fault) {
	refuse := func(msg string) (frequency.Frequency, []problem.Fault) {
		return frequency.Frequency{}, []problem.Fault{problem.BodyFault("frequency", msg)}
	}
	if utf8.RuneCountInString(text) > frequency.TextCharsMax {
		return refuse(fmt.Sprintf("must have at most %d characters", frequency.TextCharsMax))
	}
	if strings.ContainsRune(text, 0) {
		return refuse("must not contain NUL characters")
	}
	f, err := frequency.Parse(text)
	switch {
	case err != nil:
		return refuse(err.Error())
	case f.Interval < frequency.IntervalMin:
		return refuse(fmt.Sprintf("must leave at least %d minutes between runs, such as \"every 10 minutes\" or \"every hour\"", int(frequency.IntervalMin.Minutes())))
	}
	return f, nil
}

// notification returns the parts of a monitor's notification to change: events, channels, or both.
func (s *Service) notification(in *NotificationInput) (map[string]any, []problem.Fault) {
	out := map[string]any{}
	if in == nil {
		return out, nil
	}
	var faults []problem.Fault
	if in.Events != nil {
		events := []string{}
		for i, e := range in.Events {
			if !slices.Contains(outbox.ChannelEvents, e) {
				faults = append(faults, bodyFault("must be changed, completed or failed", "notification", "events", i))
			} else if !slices.Contains(events, e) {
				events = append(events, e)
			}
		}
		out["events"] = events
	}
	if in.Channels == nil {
		return out, faults
	}
	channels := []outbox.Channel{}
	if len(in.Channels) > ChannelsMax {
		faults = append(faults, bodyFault(fmt.Sprintf("has %d entries, at most %d are allowed", len(in.Channels), ChannelsMax), "notification", "channels"))
		return out, faults
	}
	for i, c := range in.Channels {
		if strings.TrimSpace(c.Target) == "" {
			continue
		}
		channel, err := s.channel(c)
		if err != nil {
			loc := []any{"notification", "channels", i}
			field, msg, _ := strings.Cut(err.Error(), ": ")
			if slices.Contains([]string{"type", "target", "events"}, field) {
				faults = append(faults, bodyFault(msg, append(loc, field)...))
			} else {
				faults = append(faults, bodyFault(err.Error(), loc...))
			}
			continue
		}
		channels = append(channels, channel)
	}
	out["channels"] = channels
	return out, faults
}

var errNoChannels = errors.New("type: notification channels are not enabled on this server: use webhook")

func (s *Service) channel(in ChannelInput) (outbox.Channel, error) {
	if s.config.Channels == nil {
		return outbox.Channel{}, errNoChannels
	}
	return s.config.Channels.Check(outbox.Channel{Type: in.Type, Target: in.Target, Events: in.Events})
}

// webhook is the checked URL of the webhook; nil if there is none.
func (s *Service) webhook(in *WebhookInput) (*string, []problem.Fault) {
	if in == nil || in.given() == "" {
		return nil, nil
	}
	address := in.given()
	msg := ""
	if s.config.Webhooks == nil {
		msg = "must be omitted: webhooks are not enabled on this server"
	} else if err := s.config.Webhooks.Check(address); err != nil {
		msg = err.Error()
	}
	if msg != "" {
		return nil, []problem.Fault{bodyFault(msg, "webhook", "url")}
	}
	return &address, nil
}

// bodyFault is a fault at a path of the request body.
func bodyFault(msg string, path ...any) problem.Fault {
	return problem.Fault{Loc: append([]any{"body"}, path...), Msg: msg, Type: problem.FaultInvalid}
}

// policyFaults are the faults of a source policy. It also makes domains lower-case.
func policyFaults(p *plan.SourcePolicy) []problem.Fault {
	var faults []problem.Fault
	for name, list := range policyLists(p) {
		if len(list) > PolicyMax {
			faults = append(faults, bodyFault(fmt.Sprintf("has %d entries, at most %d are allowed", len(list), PolicyMax), "source_policy", name))
			continue
		}
		isDomain := strings.HasSuffix(name, "domains")
		for i, entry := range list {
			entry = strings.TrimSpace(entry)
			msg := ""
			switch {
			case strings.ContainsFunc(entry, unicode.IsControl):
				msg = "must not contain control characters"
			case isDomain && !bareHost(entry):
				msg = "must be a bare host, such as example.com"
			case isDomain:
				list[i] = strings.ToLower(entry)
			default:
				list[i] = entry
				if _, err := glob.New(entry); err != nil {
					msg = err.Error()
				}
			}
			if msg != "" {
				faults = append(faults, bodyFault(msg, "source_policy", name, i))
			}
		}
	}
	slices.SortFunc(faults, func(a, b problem.Fault) int { return strings.Compare(a.String(), b.String()) })
	return faults
}

func policyLists(p *plan.SourcePolicy) map[string][]string {
	return map[string][]string{
		"include_urls": p.IncludeURLs, "exclude_urls": p.ExcludeURLs, "include_domains": p.IncludeDomains, "exclude_domains": p.ExcludeDomains,
	}
}

// bareHost reports whether text is a host name, without a scheme, port or path.
func bareHost(text string) bool {
	if len(text) > domainBytesMax || strings.ContainsAny(text, "/:@?#*[] \t\r\n\\") || strings.Trim(text, ".") != text {
		return false
	}
	return net.ParseIP(text) != nil || strings.Contains(text, ".") || text == "localhost"
}

// schemaFaults are the faults of an output_schema.
func schemaFaults(text []byte) []problem.Fault {
	if len(text) == 0 {
		return nil
	}
	if len(text) > SchemaBytesMax {
		return []problem.Fault{problem.BodyFault("output_schema", fmt.Sprintf("must have at most %d KiB", SchemaBytesMax>>10))}
	}
	if text = bytes.TrimSpace(text); text[0] != '{' {
		return []problem.Fault{problem.BodyFault("output_schema", "must be a JSON Schema object")}
	}
	_, err := jsonschema.CompileObject(text)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.Error](err)
	if !ok {
		return []problem.Fault{problem.BodyFault("output_schema", err.Error())}
	}
	faults := make([]problem.Fault, len(invalid.Faults))
	for i, fault := range invalid.Faults {
		faults[i] = bodyFault(fault.Message, append([]any{"output_schema"}, fault.Path()...)...)
	}
	return faults
}
