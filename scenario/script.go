// Package scenario runs Artillery v2 scripts: phases of arrivals, weighted scenarios, flows of requests,
// thinking and captures, with virtual users that cost a small struct each instead of a goroutine or a
// socket buffer. Read reads and checks a script, Run runs it on the engine's loops, and the Report
// has the shape of Artillery's own.
//
// It takes only what it fully understands: an unknown key, and what Artillery has and dyno has not,
// is refused with file, line and column before anything is sent. It never starts servers, stores
// nothing and prints nothing but what the script logs.
package scenario

// Script is an Artillery script, as written.
type Script struct {
	Config    Config     `yaml:"config"`
	Scenarios []Scenario `yaml:"scenarios"`
	Before    *Scenario  `yaml:"before"`
	After     *Scenario  `yaml:"after"`
}

// Config is how much load goes where. Fields of type any hold a number or text.
type Config struct {
	Target       string            `yaml:"target"`
	Phases       []Phase           `yaml:"phases"`
	HTTP         HTTP              `yaml:"http"`
	Defaults     Defaults          `yaml:"defaults"`
	Timeout      any               `yaml:"timeout"` // seconds
	Variables    map[string]any    `yaml:"variables"`
	Payload      []Payload         `yaml:"payload,single"`
	TLS          TLS               `yaml:"tls"`
	Processor    string            `yaml:"processor"`
	Plugins      Plugins           `yaml:"plugins"`
	Ensure       *Ensure           `yaml:"ensure"`
	Apdex        *Apdex            `yaml:"apdex"`
	Environments map[string]Config `yaml:"environments"`

	// What Artillery lets one set and has no effect on what is sent.
	StatsInterval any `yaml:"statsInterval"`

	Engines refused `yaml:"engines"`
	Engine  string  `yaml:"engine"`
	SocketI refused `yaml:"socketio"`
	WS      refused `yaml:"ws"`
	Mode    string  `yaml:"mode"` // of phases that have none
}

// refused is a key that Artillery has and dyno has not.
type refused any

// Phase is a stretch of arrivals. Times are seconds, or text with a unit.
type Phase struct {
	Name         string `yaml:"name"`
	Duration     any    `yaml:"duration"`
	ArrivalRate  any    `yaml:"arrivalRate"`  // users per second
	RampTo       any    `yaml:"rampTo"`       // users per second
	ArrivalCount any    `yaml:"arrivalCount"` // users
	MaxVusers    any    `yaml:"maxVusers"`    // at once
	Pause        any    `yaml:"pause"`
	Mode         string `yaml:"mode"` // uniform (default): evenly
}

// HTTP is how requests are made.
type HTTP struct {
	Timeout         any      `yaml:"timeout"` // seconds
	Pool            any      `yaml:"pool"`    // connections that all users share
	MaxSockets      any      `yaml:"maxSockets"`
	ExtendedMetrics bool     `yaml:"extendedMetrics"`
	Defaults        Defaults `yaml:"defaults"`

	DistributedTracing any `yaml:"distributedTracing"` // true, or an object

	CookieJarOptions refused `yaml:"cookieJarOptions"`
}

// Defaults hold for every request.
type Defaults struct {
	Headers       map[string]any `yaml:"headers"`
	Cookie        map[string]any `yaml:"cookie"`
	StrictCapture *bool          `yaml:"strictCapture"`
	Think         Jitter         `yaml:"think"`
}

// Jitter spreads thinking times: "20%", or a time in ms.
type Jitter struct {
	Jitter any `yaml:"jitter"`
}

// Payload is a CSV file whose fields become variables.
type Payload struct {
	Path           string   `yaml:"path"`
	Fields         []string `yaml:"fields"`
	Order          string   `yaml:"order"` // random (default) or sequence
	SkipHeader     bool     `yaml:"skipHeader"`
	Delimiter      string   `yaml:"delimiter"`
	Cast           *bool    `yaml:"cast"`
	SkipEmptyLines *bool    `yaml:"skipEmptyLines"`
	LoadAll        bool     `yaml:"loadAll"`
	Name           string   `yaml:"name"`

	Options refused `yaml:"options"`
}

// TLS is how https targets are spoken to.
type TLS struct {
	RejectUnauthorized *bool  `yaml:"rejectUnauthorized"`
	Servername         string `yaml:"servername"` // asked for and verified instead of the URL's host

	CA   refused `yaml:"ca"`
	Cert refused `yaml:"cert"`
	Key  refused `yaml:"key"`
}

// Plugins are those of Artillery that dyno has built in.
type Plugins struct {
	Expect *ExpectPlugin `yaml:"expect"`
	Ensure *Ensure       `yaml:"ensure"`

	MetricsByEndpoint *MetricsByEndpoint `yaml:"metrics-by-endpoint"`
	Apdex             *Apdex             `yaml:"apdex"`

	PublishMetrics  refused `yaml:"publish-metrics"`
	Fuzzer          refused `yaml:"fuzzer"`
	Slack           refused `yaml:"slack"`
	MemoryInspector refused `yaml:"memory-inspector"`
	FakeData        refused `yaml:"fake-data"`
	HLS             refused `yaml:"hls"`
}

// MetricsByEndpoint is how requests are told apart in metrics of their own.
type MetricsByEndpoint struct {
	UseOnlyRequestNames   bool   `yaml:"useOnlyRequestNames"`
	StripQueryString      bool   `yaml:"stripQueryString"`
	IgnoreUnnamedRequests bool   `yaml:"ignoreUnnamedRequests"`
	GroupDynamicURLs      *bool  `yaml:"groupDynamicURLs"` // by the URL before its templates are rendered; the default
	MetricsNamespace      string `yaml:"metricsNamespace"`

	SuppressOutput any `yaml:"suppressOutput"` // of no effect: what is measured is printed
}

// Apdex says how long users wait contentedly.
type Apdex struct {
	Threshold any `yaml:"threshold"` // ms
}

// ExpectPlugin is how expectations are reported.
type ExpectPlugin struct {
	ReportFailuresAsErrors bool   `yaml:"reportFailuresAsErrors"`
	ExpectDefault200       bool   `yaml:"expectDefault200"`
	Formatter              string `yaml:"formatter"`
	OutputFormat           string `yaml:"outputFormat"`
	UseOnlyRequestNames    bool   `yaml:"useOnlyRequestNames"`
}

// Ensure is what the run must reach; else dyno exits with 1.
type Ensure struct {
	Thresholds   []map[string]any `yaml:"thresholds"`
	Conditions   []Condition      `yaml:"conditions"`
	MaxErrorRate any              `yaml:"maxErrorRate"` // % of the users
	Min          any              `yaml:"min"`          // of http.response_time, in ms
	Max          any              `yaml:"max"`
	Median       any              `yaml:"median"`
	P95          any              `yaml:"p95"`
	P99          any              `yaml:"p99"`
}

// Condition is an expression over metrics.
type Condition struct {
	Expression string `yaml:"expression"`
	Strict     *bool  `yaml:"strict"`
}

// Scenario is what a virtual user does.
type Scenario struct {
	Name           string   `yaml:"name"`
	Weight         any      `yaml:"weight"`
	Engine         string   `yaml:"engine"`
	Flow           []Step   `yaml:"flow"`
	BeforeScenario []string `yaml:"beforeScenario,single"`
	AfterScenario  []string `yaml:"afterScenario,single"`
	BeforeRequest  []string `yaml:"beforeRequest,single"`
	AfterResponse  []string `yaml:"afterResponse,single"`
	OnError        []string `yaml:"onError,single"`
}

// Step is one thing in a flow: exactly one of its actions.
type Step struct {
	Get      *Request `yaml:"get"`
	Post     *Request `yaml:"post"`
	Put      *Request `yaml:"put"`
	Patch    *Request `yaml:"patch"`
	Delete   *Request `yaml:"delete"`
	Head     *Request `yaml:"head"`
	Options  *Request `yaml:"options"`
	Think    any      `yaml:"think"`  // seconds, or text with a unit
	Jitter   any      `yaml:"jitter"` // beside think
	Log      any      `yaml:"log"`
	Function string   `yaml:"function"`

	Loop        []Step `yaml:"loop"`
	Count       any    `yaml:"count"` // a number or a range such as "1-10"
	Over        any    `yaml:"over"`  // a list, or the name of a variable that holds one
	WhileTrue   string `yaml:"whileTrue"`
	LoopValue   string `yaml:"loopValue"`
	LoopElement string `yaml:"loopElement"`

	Parallel    refused `yaml:"parallel"`
	Emit        refused `yaml:"emit"`
	Send        refused `yaml:"send"`
	Connect     refused `yaml:"connect"`
	Namespace   refused `yaml:"namespace"`
	Acknowledge refused `yaml:"acknowledge"`
}

// Request is one HTTP request and what is taken from its reply.
type Request struct {
	URL            string         `yaml:"url"`
	Name           string         `yaml:"name"`
	Headers        map[string]any `yaml:"headers"`
	Cookie         map[string]any `yaml:"cookie"`
	FollowRedirect *bool          `yaml:"followRedirect"`
	QS             map[string]any `yaml:"qs"`
	Gzip           *bool          `yaml:"gzip"`
	JSON           any            `yaml:"json"`
	Body           any            `yaml:"body"`
	Form           map[string]any `yaml:"form"`
	FormData       map[string]any `yaml:"formData"`
	Auth           *Auth          `yaml:"auth"`
	Capture        []Capture      `yaml:"capture,single"`
	Match          []Capture      `yaml:"match,single"`
	Expect         []Expect       `yaml:"expect,single"`
	IfTrue         string         `yaml:"ifTrue"`
	Probability    any            `yaml:"probability"` // 0 to 100
	BeforeRequest  []string       `yaml:"beforeRequest,single"`
	AfterResponse  []string       `yaml:"afterResponse,single"`

	// Of no effect: every body has its length in the head.
	SetContentLengthHeader any `yaml:"setContentLengthHeader"`
}

// Auth is HTTP basic authentication.
type Auth struct {
	User string `yaml:"user"`
	Pass string `yaml:"pass"`
}

// Capture takes a value from a reply, into the variable As (capture) or to be compared with Value (match).
type Capture struct {
	JSON     string `yaml:"json"`
	Regexp   string `yaml:"regexp"`
	Group    any    `yaml:"group"` // number or name
	Flags    string `yaml:"flags"`
	Header   string `yaml:"header"`
	As       string `yaml:"as"`
	Value    any    `yaml:"value"`
	Strict   *bool  `yaml:"strict"`
	Multiple *bool  `yaml:"multiple"`

	Selector refused `yaml:"selector"`
	XPath    refused `yaml:"xpath"`
	Attr     refused `yaml:"attr"`
	Index    refused `yaml:"index"`
}

// Expect is one or several expectations about a reply.
type Expect struct {
	StatusCode     any    `yaml:"statusCode"`
	NotStatusCode  any    `yaml:"notStatusCode"`
	ContentType    string `yaml:"contentType"`
	HasProperty    string `yaml:"hasProperty"`
	NotHasProperty string `yaml:"notHasProperty"`
	Equals         []any  `yaml:"equals"`
	HasHeader      string `yaml:"hasHeader"`
	HeaderEquals   []any  `yaml:"headerEquals"`
	MatchesRegexp  string `yaml:"matchesRegexp"`

	CDNHit   refused `yaml:"cdnHit"`
	JMESPath refused `yaml:"jmespath"`
}
