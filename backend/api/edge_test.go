package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"

	"github.com/google/uuid"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// newHoldID is the id of the first hold of a meter's batch.
func newHoldID() string {
	id := uuid.New()
	id[14], id[15] = 0, 0
	return id.String()
}

// passed passes a request on as the edge does. With an Idempotency-Key, its hold or claim is written first, unless it
// exists, and the response decides whether it is captured or released.
func (s *service) passed(id *edgewire.Identity, w *httptest.ResponseRecorder, r *http.Request) {
	s.t.Helper()
	if r.Header.Get("Idempotency-Key") == "" || id == nil || id.Max == 0 || !s.holds(id) {
		s.api.ServeHTTP(w, r)
		return
	}
	charged := false
	defer func() { // also if the connection ends
		for _, sql := range []string{
			`update x402_claim set state = case when $2 = 1 then 'settled' else 'released' end, done_at = now() where id = $1`,
			`update meter_batch set ended = set_bit(ended, 0, 1), captured = set_bit(captured, 0, $2), done = true where id = $1`,
		} {
			_, err := s.pool.Exec(context.Background(), sql, id.ID, asBit(charged))
			must(s.t, err)
		}
	}()
	s.api.ServeHTTP(w, r)
	charged = w.Code < http.StatusBadRequest && w.Header().Get(edgewire.CostHeader) != "0"
}

// holds writes the hold or claim of id, and reports whether it is new.
func (s *service) holds(id *edgewire.Identity) bool {
	s.t.Helper()
	sql, args := `insert into meter_batch (id, edge_id, account_ids, key_ids, amounts, operations, operation_nums, ended)
		values ($1, gen_random_uuid(), '{0}', '{0}', array[$2::bigint], '{x}', '{1}', ('0' || repeat('1', 1023))::bit(1024))
		on conflict (id) do nothing`, []any{id.ID, id.Max}
	if id.Unit == edgewire.UnitUSDC {
		sql, args = `insert into x402_claim (id, network, asset, payer, nonce, version, pay_to, amount, payment, payload_hash, request_hash,
				method, uri, operation, settle, lapses_at, keep_until, edge_id, created_at)
			values ($1::uuid, $3, 'usdc', $4, sha256(convert_to($1::text, 'UTF8')), 2, 'us', $2, '', sha256(''), sha256(''),
				'POST', '/', 'x', 'after', now() + interval '1 hour', now() + interval '1 hour', gen_random_uuid(), now())
			on conflict (id) do nothing`, append(args, id.Payer.Network, id.Payer.Address)
	}
	made, err := s.pool.Exec(context.Background(), sql, args...)
	must(s.t, err)
	return made.RowsAffected() == 1
}

func asBit(b bool) int {
	if b {
		return 1
	}
	return 0
}
