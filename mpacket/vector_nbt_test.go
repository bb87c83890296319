package mpacket

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// jsonNBT is a root in the notation of the vectors.
type jsonNBT struct {
	Name string     `json:"name,omitempty"`
	Root *jsonValue `json:"root"`
}

// jsonValue is a value in the notation of the vectors. Of and Name are for lists and compounds.
type jsonValue struct {
	Name  *string         `json:"name,omitempty"`
	Tag   string          `json:"tag,omitempty"`
	Of    string          `json:"of,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

var nbtTagNames = [tagCount]string{"end", "byte", "short", "int", "long", "float", "double", "byte_array", "string", "list", "compound", "int_array", "long_array"}

func nbtTagNamed(name string) NBTTag {
	tag := slices.Index(nbtTagNames[:], name)
	if tag < 0 {
		panic("unknown NBT tag " + name)
	}
	return NBTTag(tag)
}

func nbtCodec(form NBTForm) vectorCodec {
	value := func(text json.RawMessage) NBT { return parseNBT(unmarshal[*jsonNBT](text)) }
	return vectorCodec{
		consume: func(b []byte, _ *valueCase) (any, int) {
			v, n := ConsumeNBT(b, form)
			return showNBT(v, form), n
		},
		read: func(r *Reader, _ *valueCase) any {
			view := *r
			raw := view.ReadNBTView(form)
			v := r.ReadNBT(form)
			if again, n := ConsumeNBT(raw, form); r.Err() == nil && (n != len(raw) || fmt.Sprint(again) != fmt.Sprint(v)) {
				panic("view and value differ")
			}
			return showNBT(v, form)
		},
		append: func(b []byte, text json.RawMessage, _ *valueCase) []byte {
			out, err := AppendNBT(b, form, value(text))
			if err != nil {
				panic(err)
			}
			return out
		},
		write: func(w *Writer, text json.RawMessage, _ *valueCase) { w.WriteNBT(form, value(text)) },
		lax:   true,
	}
}

func showNBT(v NBT, form NBTForm) any {
	if v.Value == nil {
		return nil
	}
	root := showNBTValue(v.Value)
	if form == NBTNetwork {
		return map[string]any{"root": root}
	}
	return map[string]any{"name": v.Name, "root": root}
}

func showNBTValue(value any) jsonValue {
	var shown any = value
	out := jsonValue{Tag: nbtTagNames[nbtTagOf(value)]}
	switch v := value.(type) {
	case int64:
		shown = showInt64(v)
	case float32:
		shown = showFloat32(v)
	case float64:
		shown = showFloat64(v)
	case []byte:
		shown = hex.EncodeToString(v)
	case []int64:
		longs := []string{}
		for _, long := range v {
			longs = append(longs, showInt64(long))
		}
		shown = longs
	case NBTList:
		out.Of = nbtTagNames[v.Tag]
		elements := []jsonValue{}
		for _, element := range v.Values {
			e := showNBTValue(element)
			e.Tag = ""
			elements = append(elements, e)
		}
		shown = elements
	case NBTCompound:
		fields := []jsonValue{}
		for _, field := range v {
			f := showNBTValue(field.Value)
			f.Name = &field.Name
			fields = append(fields, f)
		}
		shown = fields
	}
	out.Value, _ = json.Marshal(shown)
	return out
}

func parseNBT(v *jsonNBT) NBT {
	if v == nil {
		return NBT{}
	}
	return NBT{Name: v.Name, Value: parseNBTValue(nbtTagNamed(v.Root.Tag), *v.Root)}
}

func parseNBTValue(tag NBTTag, v jsonValue) any {
	switch tag {
	case TagByte:
		return unmarshal[int8](v.Value)
	case TagShort:
		return unmarshal[int16](v.Value)
	case TagInt:
		return unmarshal[int32](v.Value)
	case TagLong:
		return must(parseInt64(unmarshal[string](v.Value)))
	case TagFloat:
		return must(parseFloat32(unmarshal[string](v.Value)))
	case TagDouble:
		return must(parseFloat64(unmarshal[string](v.Value)))
	case TagByteArray:
		return []byte(unmarshal[blob](v.Value))
	case TagString:
		return unmarshal[string](v.Value)
	case TagIntArray:
		return unmarshal[[]int32](v.Value)
	case TagLongArray:
		longs := []int64{}
		for _, text := range unmarshal[[]string](v.Value) {
			longs = append(longs, must(parseInt64(text)))
		}
		return longs
	case TagList:
		list := NBTList{Tag: nbtTagNamed(v.Of)}
		for _, element := range unmarshal[[]jsonValue](v.Value) {
			list.Values = append(list.Values, parseNBTValue(list.Tag, element))
		}
		return list
	}
	compound := NBTCompound{}
	for _, field := range unmarshal[[]jsonValue](v.Value) {
		compound = append(compound, NBTField{Name: *field.Name, Value: parseNBTValue(nbtTagNamed(field.Tag), field)})
	}
	return compound
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
