package db

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// RegisterUUID lets m write uuid.UUID, alone and in arrays, as its 16 bytes. Without it pgx converts every id of a
// batch to text.
func RegisterUUID(m *pgtype.Map) {
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapUUID}, m.TryWrapEncodePlanFuncs...)
}

func wrapUUID(value any) (plan pgtype.WrappedEncodePlanNextSetter, nextValue any, ok bool) {
	switch value := value.(type) {
	case uuid.UUID:
		return &uuidPlan{}, (*uuidValue)(&value), true
	case []uuid.UUID:
		return &uuidsPlan{}, uuidArray(value), true
	}
	return nil, nil, false
}

// uuidValue is a uuid.UUID that pgtype can write.
type uuidValue uuid.UUID

// UUIDValue implements pgtype.UUIDValuer.
func (u *uuidValue) UUIDValue() (pgtype.UUID, error) {
	return pgtype.UUID{Bytes: *u, Valid: true}, nil
}

// uuidArray implements pgtype.ArrayGetter without copying its elements.
type uuidArray []uuid.UUID

func (a uuidArray) Dimensions() []pgtype.ArrayDimension {
	if a == nil {
		return nil
	}
	return []pgtype.ArrayDimension{{Length: int32(len(a)), LowerBound: 1}} //nolint:gosec // a batch
}

func (a uuidArray) Index(i int) any { return (*uuidValue)(&a[i]) }
func (uuidArray) IndexType() any    { return new(uuidValue) }

type uuidPlan struct{ next pgtype.EncodePlan }

func (p *uuidPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *uuidPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, _ := value.(uuid.UUID)
	return p.next.Encode((*uuidValue)(&id), buf)
}

type uuidsPlan struct{ next pgtype.EncodePlan }

func (p *uuidsPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *uuidsPlan) Encode(value any, buf []byte) ([]byte, error) {
	ids, _ := value.([]uuid.UUID)
	return p.next.Encode(uuidArray(ids), buf)
}
