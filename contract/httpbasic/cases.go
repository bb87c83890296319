package httpbasic

import (
	"dyno"
	"dyno/contract/internal/gate"
)

// gateCases is the gate. The order is chosen so that the first case to fail names the cause: one
// request a connection first, then the parts of a query, then JSON, then several requests on a
// connection, then split delivery, several connections and volume, and last what may kill the
// server.
var gateCases = []gate.Case{
	{Case: dyno.Case{Name: "root", Promise: "GET / answers hi as text/plain."}, Check: root},
	{Case: dyno.Case{Name: "keep-alive", Promise: "A connection serves the second request as well as the first."}, Check: keepAlive},
	{Case: dyno.Case{Name: "root-query", Promise: "A query does not change what GET / answers."}, Check: rootQuery},

	{Case: dyno.Case{Name: "id-and-name", Promise: "GET /id/ID?name=NAME answers ID and NAME as text/plain, with x-powered-by: benchmark."}, Check: idAndName},
	{Case: dyno.Case{Name: "same-path", Promise: "Requests that differ in their query only get different answers."}, Check: samePath},
	{Case: dyno.Case{Name: "id-shapes", Promise: "Ids of any shape come back as they are."}, Check: idShapes},
	{Case: dyno.Case{Name: "name-first", Promise: "A name ends where the next key begins."}, Check: nameFirst},
	{Case: dyno.Case{Name: "name-last", Promise: "A name is found behind other keys."}, Check: nameLast},
	{Case: dyno.Case{Name: "name-missing", Promise: "Without a name the answer is the id and a blank."}, Check: nameMissing},
	{Case: dyno.Case{Name: "name-empty", Promise: "An empty name is answered as a missing one."}, Check: nameEmpty},
	{Case: dyno.Case{Name: "name-repeated", Promise: "Of two names the first, the last, or both with a comma are answered."}, Check: nameRepeated},
	{Case: dyno.Case{Name: "decoy-keys", Promise: "Keys that end or begin with name, and values that contain it, are not the name."}, Check: decoyKeys},
	{Case: dyno.Case{Name: "name-encoded", Promise: "Percent-encoding in a name is decoded, after the query was taken apart."}, Check: nameEncoded},
	{Case: dyno.Case{Name: "name-plus", Promise: "A plus sign in a name is a blank."}, Check: namePlus},
	{Case: dyno.Case{Name: "name-utf8", Promise: "Names in any script come back as UTF-8."}, Check: nameUTF8},
	{Case: dyno.Case{Name: "name-long", Promise: "A name of 1 KiB comes back whole."}, Check: nameLong},

	{Case: dyno.Case{Name: "json", Promise: "POST /json mirrors the value as application/json."}, Check: jsonCompact},
	{Case: dyno.Case{Name: "json-spaced", Promise: "JSON with white space and needless escapes is parsed and written anew, not sent back as text."}, Check: jsonSpaced},
	{Case: dyno.Case{Name: "json-escapes", Promise: "Strings with quotes, backslashes and control characters are mirrored."}, Check: jsonEscapes},
	{Case: dyno.Case{Name: "json-unicode", Promise: "Strings in any script are mirrored."}, Check: jsonUnicode},
	{Case: dyno.Case{Name: "json-nested", Promise: "Nested and empty arrays and objects, numbers, booleans and null are mirrored."}, Check: jsonNested},
	{Case: dyno.Case{Name: "json-large", Promise: "A body of 64 KiB and more is mirrored."}, Check: jsonLarge},
	{Case: dyno.Case{Name: "json-malformed", Promise: "Malformed JSON gets a status from 400 to 499, and the server lives."}, Check: jsonMalformed},

	{Case: dyno.Case{Name: "header-case", Promise: "Names of request headers are read in any case, among many others."}, Check: headerCase},
	{Case: dyno.Case{Name: "not-found", Promise: "An unknown path gets 404, and gets it again."}, Check: notFound},
	{Case: dyno.Case{Name: "pipelined", Promise: "50 requests in flight are answered in order."}, Check: pipelined},
	{Case: dyno.Case{Name: "split-head", Promise: "A request whose head is cut anywhere is put together again."}, Check: splitHead},
	{Case: dyno.Case{Name: "split-body", Promise: "A body that comes in several segments is put together again."}, Check: splitBody},
	{Case: dyno.Case{Name: "interleaved", Promise: "Two connections with half requests in turn never see each other's replies."}, Check: interleaved},
	{Case: dyno.Case{Name: "many-connections", Promise: "64 connections at once are all served."}, Check: manyConnections},
	{Case: dyno.Case{Name: "many-requests", Promise: "The 2,000th request is answered as well as the first."}, Check: manyRequests},
	{Case: dyno.Case{Name: "aborted", Promise: "Clients that reset their connection at any point leave the server alive for others."}, Check: aborted},
	{Case: dyno.Case{Name: "garbage", Promise: "Bytes that are no HTTP are refused and leave the server alive for others."}, Check: garbage},
}
