package console

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// monitorForm is the submitted form of a new monitor.
type monitorForm struct {
	Query     string
	Frequency string
	Email     string
	Events    []string
	Webhook   string
	Domains   string // one per line
	Schema    string
	Once      string
	Fault     *faultPage // why it was refused
	Wrong     []string   // fields that the API refused
}

// monitorLabels maps fields of the request to fields and labels of the form.
var monitorLabels = map[string]struct{ field, label string }{
	"query":         {"query", "What to watch"},
	"frequency":     {"frequency", "How often"},
	"notification":  {"email", "Email to notify"},
	"webhook":       {"webhook", "Webhook"},
	"source_policy": {"domains", "Limit to domains"},
	"output_schema": {"schema", "Fields to extract"},
}

// IsWrong reports whether the API refused a field.
func (f *monitorForm) IsWrong(field string) bool { return slices.Contains(f.Wrong, field) }

// explain rewrites the API's refusal in terms of the form: "How often: …" for "body.frequency: …". Text that is not about
// a field of the form stays as it is.
func (f *monitorForm) explain(detail string) string {
	said, ok := strings.CutPrefix(detail, "The request is not valid: ")
	if !ok {
		return detail
	}
	parts := strings.Split(said, "; body.")
	for i, part := range parts {
		path, msg, ok := strings.Cut(strings.TrimPrefix(part, "body."), ": ")
		name, _, _ := strings.Cut(path, ".")
		known, isField := monitorLabels[name]
		if !ok || !isField {
			return detail
		}
		f.Wrong = append(f.Wrong, known.field)
		parts[i] = known.label + ": " + msg
	}
	return strings.Join(parts, "; ")
}

// Has reports whether an event is ticked.
func (f *monitorForm) Has(event string) bool { return slices.Contains(f.Events, event) }

// monitorRequest is the body that creates a monitor (service specification, "POST /v1/monitors").
type monitorRequest struct {
	Query        string               `json:"query"`
	Frequency    string               `json:"frequency,omitempty"`
	SourcePolicy map[string][]string  `json:"source_policy,omitempty"`
	Notification *requestNotification `json:"notification,omitempty"`
	Webhook      map[string]string    `json:"webhook,omitempty"`
	OutputSchema json.RawMessage      `json:"output_schema,omitempty"`
}

type requestNotification struct {
	Events   []string  `json:"events,omitempty"`
	Channels []channel `json:"channels,omitempty"`
}

func (c *Console) newMonitor(v *visit) error {
	return v.show("monitornew", "New monitor", &monitorForm{Events: []string{"changed"}, Once: onceToken()})
}

func (c *Console) createMonitor(v *visit) error {
	sent, err := v.form()
	if err != nil {
		return err
	}
	form := formOf(sent)
	if !isOnce(form.Once) {
		return errForm
	}
	again := func(status int, fault *faultPage) {
		form.Fault, form.Once = fault, onceToken()
		v.showStatus(status, "monitornew", "New monitor", form)
	}
	body, problem := form.request()
	if problem != "" {
		again(http.StatusBadRequest, &faultPage{Title: "The monitor was not created", Text: problem})
		return nil
	}
	var made monitor
	_, err = v.call(call{method: http.MethodPost, path: "/v1/monitors", body: body, once: form.Once}, &made)
	if no, ok := errors.AsType[*Refusal](err); ok {
		switch no.Status {
		case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusPaymentRequired, http.StatusTooManyRequests, http.StatusConflict:
			fault := refusalPage(no)
			if no.Status == http.StatusBadRequest {
				fault.Title, fault.Text = "The monitor was not created", form.explain(fault.Text)
			}
			again(no.Status, fault)
			return nil
		}
	}
	if err != nil {
		return err
	}
	if !isID(made.ID, "monitor") {
		return errNoAnswer
	}
	return v.to(Path + "/monitors/" + made.ID + "?done=created")
}

func formOf(sent url.Values) *monitorForm {
	text := func(name string) string {
		return strings.TrimSpace(strings.ReplaceAll(sent.Get(name), "\r\n", "\n"))
	}
	return &monitorForm{
		Query: text("query"), Frequency: text("frequency"), Email: text("email"), Events: sent["event"],
		Webhook: text("webhook"), Domains: text("domains"), Schema: text("schema"), Once: sent.Get("once"),
	}
}

// request is the API request for the form. It checks only what the API could not explain well, and leaves the rest to the API.
func (f *monitorForm) request() (_ *monitorRequest, problem string) {
	if f.Query == "" {
		return nil, "Enter what to watch: a sentence, ideally with the URL of a page or site."
	}
	body := &monitorRequest{Query: f.Query, Frequency: f.Frequency}
	if len(f.Events) > 0 || f.Email != "" {
		body.Notification = &requestNotification{Events: f.Events}
	}
	if f.Email != "" {
		body.Notification.Channels = []channel{{Target: f.Email, Events: f.Events}}
	}
	if f.Webhook != "" {
		body.Webhook = map[string]string{"url": f.Webhook}
	}
	if domains := strings.Fields(strings.ReplaceAll(f.Domains, ",", " ")); len(domains) > 0 {
		body.SourcePolicy = map[string][]string{"include_domains": domains}
	}
	if f.Schema != "" {
		var object map[string]any
		if err := json.Unmarshal([]byte(f.Schema), &object); err != nil || object == nil {
			return nil, "The fields to extract are not a JSON Schema. Enter an object such as {\"type\": \"object\", \"properties\": {\"price\": {\"type\": \"number\"}}}."
		}
		body.OutputSchema = json.RawMessage(f.Schema)
	}
	return body, ""
}
