package main

const (
	transaction = "internal/device/transaction.go"
	effect      = "internal/device/effect.go"
	image       = "internal/device/images.go"
	confirm     = "internal/device/confirm.go"
	parts       = "internal/device/parts.go"
	batch       = "internal/device/batch.go"
	verify      = "internal/device/verify.go"
	retry       = "internal/gnmi/retry.go"
	outcome     = "internal/gnmi/outcome.go"
)

// transactionMutants break what happens to a Set that does not simply succeed.
var transactionMutants = []mutant{
	{
		"a device that did not answer is let go at once", transaction,
		"wait := t.registry.LockDelay()", "wait := time.Duration(0)",
	},
	{
		"a request without an answer is not sent again", transaction,
		"case ambiguous(err) && !resent && !lost(err):", "case ambiguous(err) && !resent && lost(err) && !lost(err):",
	},
	{
		"what a device refuses and holds counts as refused", transaction,
		"if effect == EffectAll {\n\t\t\tt.change.warn(err)\n\t\t\treturn nil", "if effect == EffectAll && false {\n\t\t\tt.change.warn(err)\n\t\t\treturn nil",
	},
	{
		"nobody is told that a device refused what it holds", transaction,
		"\t\tc.Warn(err)", "_ = err",
	},
	{
		"what a busy device refuses is not sent again", transaction,
		"if pace.Wait(ctx, err) {\n\t\t\t\t\tresent = false", "if false {\n\t\t\t\t\tresent = false",
	},
	{
		"what can never succeed is sent again", transaction,
		"if !sent(err) || gnmi.Passing(err) {", "if true {",
	},
	{
		"deleting what is absent is a failure", transaction,
		"} else if t.withoutAbsent() {", "} else if false {",
	},
	{
		"a device's words are told with their secrets", "internal/device/send.go",
		"err = d.client.Set(sending, req, change.Secrets...)", "err = d.client.Set(sending, req)",
	},
	{
		"half a change counts as none", image,
		"\treturn EffectPart, missing\n}", "\treturn EffectNone, missing\n}",
	},
	{
		"a change is done when one of its leaves is there", image,
		"case len(missing) == 0:", "case len(missing) < verifiable:",
	},
	{
		"secrets that a device shows otherwise make a change look undone", image,
		"if datatree.Secret(c.Leaf) {", "if false {",
	},
	{
		"one look decides that a change is half done", effect,
		"certain := effect == EffectNone || looks > 1", "certain := true",
	},
	{
		"a read that fails counts as the entry's absence", "internal/device/absence.go",
		"case code == codes.InvalidArgument || code == codes.Unimplemented:", "case err != nil && code >= codes.OK:",
	},
	{
		"what a secret alone became of counts as known", image,
		"case verifiable == 0 && len(changes) > 0:", "case false:",
	},
	{
		"a device in trouble is looked at once", transaction,
		"wait = min(wait, settleTime)", "wait = 0",
	},
	{
		"a step forgets that it wrote a part", "internal/device/attempt.go",
		"if earlier != nil {\n\t\tat = earlier", "if false {\n\t\tat = earlier",
	},
	{
		"a half done commit is left to roll back later", confirm,
		"if t.commit == \"\" || effect", "if true || effect",
	},
	{
		"what is written beside a new entry is lost", parts,
		"\t\t\tout.Update = append(out.Update, u)\n", "",
	},
	{
		"a change is not confirmed", confirm,
		"case err == nil, ambiguous(err):\n\t\treturn t.awaitConfirmation(ctx, err)", "case err == nil:\n\t\treturn nil",
	},
	{
		"a change is confirmed on the old connection", confirm,
		"t.extension(ctx, t.grant, fresh, confirmation(t.commit))", "t.extension(ctx, t.grant, t.client, confirmation(t.commit))",
	},
	{
		"a device that ignores commits is trusted", confirm,
		"case err == nil:\n\t\treturn &CommitError{Ignored: true}", "case false:\n\t\treturn &CommitError{Ignored: true}",
	},
	{
		"each repetition of a commit has an id of its own", confirm,
		"if t.commit == \"\" {", "if true {",
	},
	{
		"somebody else's commit is not waited for", confirm,
		"refusal(t.extension(ctx, t.grant, t.client, confirmation(rand.Text()))) == codes.InvalidArgument", "false",
	},
	{
		"a device that shows changes late is not waited for", verify,
		"if t.verifyFor == 0 ||", "if true ||",
	},
	{
		"a commit that is not shown is left to roll back later", verify,
		"if t.commit != \"\" {", "if false {",
	},
	{
		"a Set has more operations than the device takes", parts,
		"case p.MaxOperations == 0 || n <= p.MaxOperations:", "case true:",
	},
	{
		"what goes separately goes with the rest", parts,
		"return slices.ContainsFunc(p.Separate, func(s string) bool {", "return slices.ContainsFunc(p.Separate[:0], func(s string) bool {",
	},
	{
		"an error of a batch is everybody's", batch,
		"effectOf(own) == EffectNone && !ambiguous(own)", "false",
	},
	{
		"what a batch did by half is everybody's half", batch,
		"&& set.divides(joined)", "&& false",
	},
	{
		"what a batch left out beside its entries is nobody's", batch,
		"&& set.divides(joined)", "&& set.Effect == EffectPart",
	},
	{
		"a batch goes without those that wait", batch,
		"all := b.waiting\n", "all := []*member{m}\n",
	},
	{
		"a request that is too large is sent again", retry,
		"return failed.RetryAfter > 0 ||", "return failed.Code == codes.ResourceExhausted || failed.RetryAfter > 0 ||",
	},
	{
		"a device's hint is not honoured", retry,
		"d = max(d, failed.RetryAfter)", "_ = failed",
	},
	{
		"what is sent again has no budget", retry,
		"if time.Now().Add(d).After(over) {", "if _ = over; false {",
	},
	{
		"what did not leave counts as sent", outcome,
		"case !left:\n\t\t\treturn NotSent", "case false:\n\t\t\treturn NotSent",
	},
}
