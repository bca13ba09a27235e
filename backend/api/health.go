package api

import (
	"context"
	"encoding/json"
	"net/http"
)

// healthz reports that the process responds. It checks nothing else, so that a database outage does not restart every replica.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, http.StatusOK, status{Status: "ok"})
}

type status struct {
	Status string        `json:"status"`
	Checks []checkStatus `json:"checks,omitempty"`
}

type checkStatus struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
}

// readyz reports whether requests can be served now. Details go to the log only, because an operator may make the route public.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	answer, code := status{Status: "ready"}, http.StatusOK
	for _, check := range s.config.Ready {
		err := check.Func(ctx)
		if err != nil {
			answer.Status, code = "unavailable", http.StatusServiceUnavailable
			s.config.Logger.WarnContext(ctx, "not ready", "check", check.Name, "error", err)
		}
		answer.Checks = append(answer.Checks, checkStatus{Name: check.Name, OK: err == nil})
	}
	writeStatus(w, code, answer)
}

func writeStatus(w http.ResponseWriter, code int, answer status) {
	body, err := json.Marshal(answer)
	if err != nil {
		code = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write(append(body, '\n'))
}
