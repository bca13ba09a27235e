package db_test

import (
	"bytes"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/turnpike-edge/turnpike/db"
)

// The output must equal what pgx writes by itself; it is only faster.
func TestRegisterUUIDWritesTheSame(t *testing.T) {
	t.Parallel()
	a, b := uuid.MustParse("019a1c2e-6a3b-7c4d-8e5f-0123456789ab"), uuid.UUID{}
	for _, tc := range []struct {
		name  string
		oid   uint32
		value any
	}{
		{"one", pgtype.UUIDOID, a},
		{"several", pgtype.UUIDArrayOID, []uuid.UUID{a, b, a}},
		{"none", pgtype.UUIDArrayOID, []uuid.UUID{}},
		{"null", pgtype.UUIDArrayOID, []uuid.UUID(nil)},
	} {
		for format, name := range map[int16]string{pgtype.BinaryFormatCode: "binary", pgtype.TextFormatCode: "text"} {
			t.Run(tc.name+" "+name, func(t *testing.T) {
				t.Parallel()
				plain, fast := pgtype.NewMap(), pgtype.NewMap()
				db.RegisterUUID(fast)
				want, err := plain.Encode(tc.oid, format, tc.value, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := fast.Encode(tc.oid, format, tc.value, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
					t.Errorf("got %x, want %x", got, want)
				}
			})
		}
	}
}

func BenchmarkEncodeUUIDs(b *testing.B) {
	ids := make([]uuid.UUID, 256)
	m := pgtype.NewMap()
	db.RegisterUUID(m)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = m.Encode(pgtype.UUIDArrayOID, pgtype.BinaryFormatCode, ids, buf[:0]); err != nil {
			b.Fatal(err)
		}
	}
}
