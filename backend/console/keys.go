package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

type keysPage struct {
	Live  []apiKey
	Ended []apiKey

	Made   *apiKey // the new key, shown only this once
	Once   string
	Name   string // as submitted, if it was refused
	Scopes []string
	Days   string
	Fault  *faultPage
}

// Has reports whether a scope is ticked.
func (p *keysPage) Has(scope string) bool { return slices.Contains(p.Scopes, scope) }

const daySeconds = 24 * 60 * 60

func (c *Console) keys(v *visit) error {
	page := &keysPage{Scopes: []string{"read", "write"}, Once: onceToken()}
	if err := page.list(v); err != nil {
		return err
	}
	return v.show("keys", "API keys", page)
}

func (p *keysPage) list(v *visit) error {
	var list keyList
	if err := v.get("/user/keys", nil, &list); err != nil {
		return err
	}
	now := v.console.config.Now()
	for i := range list.Keys {
		key := list.Keys[i]
		key.Key = "" // lists have no secrets; should one ever appear, it is not shown
		if key.RevokedAt != nil || (key.ExpiresAt != nil && !key.ExpiresAt.After(now)) {
			p.Ended = append(p.Ended, key)
		} else {
			p.Live = append(p.Live, key)
		}
	}
	return nil
}

// createKey shows the new key in its own response, which is not cached and has no URL.
func (c *Console) createKey(v *visit) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	page := &keysPage{Name: form.Get("name"), Scopes: form["scope"], Days: form.Get("days"), Once: form.Get("once")}
	if !isOnce(page.Once) {
		return errForm
	}
	again := func(status int, fault *faultPage) error {
		page.Fault, page.Once = fault, onceToken()
		if err := page.list(v); err != nil {
			return err
		}
		v.showStatus(status, "keys", "API keys", page)
		return nil
	}
	if len(page.Scopes) == 0 { // the API would apply its default scopes
		return again(http.StatusBadRequest, &faultPage{Title: "The key was not created", Text: "Select at least one scope."})
	}
	body := map[string]any{"name": page.Name, "scopes": page.Scopes}
	if page.Days != "" {
		days, err := strconv.ParseUint(page.Days, 10, 16)
		if err != nil || days == 0 {
			return errForm
		}
		body["expires_in"] = days * daySeconds
	}
	var made apiKey
	status, err := v.call(call{method: http.MethodPost, path: "/user/keys", body: body, once: page.Once}, &made)
	no, refused := errors.AsType[*Refusal](err)
	switch {
	case refused && (no.Status == http.StatusBadRequest || no.Status == http.StatusConflict):
		return again(status, refusalPage(no))
	case err != nil:
		return err
	}
	page = &keysPage{Made: &made, Scopes: []string{"read", "write"}, Once: onceToken()}
	_ = page.list(v) // ignore errors: this is the only chance to show the new key
	v.showStatus(status, "keys", "API keys", page)
	return nil
}

func (c *Console) confirmRevoke(v *visit) error {
	id, err := idOf(v, "id", "key")
	if err != nil {
		return err
	}
	page := &keysPage{}
	if err := page.list(v); err != nil {
		return err
	}
	at := slices.IndexFunc(page.Live, func(k apiKey) bool { return k.ID == id })
	if at < 0 {
		return errNoPage
	}
	return v.show("revoke", "Revoke a key", &page.Live[at])
}

func (c *Console) revokeKey(v *visit) error {
	id, err := idOf(v, "id", "key")
	if err != nil {
		return err
	}
	if _, err := v.form(); err != nil {
		return err
	}
	if _, err := v.call(call{method: http.MethodDelete, path: "/user/keys/" + url.PathEscape(id)}, nil); err != nil {
		return err
	}
	return v.to(Path + "/keys?done=revoked")
}
