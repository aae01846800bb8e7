package telemetry

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"
)

// merge returns held with what now has more than before added to it, in the
// order of names. It may use the parts of held.
func merge(held map[string]*dto.MetricFamily, before, now []*dto.MetricFamily) []*dto.MetricFamily {
	for _, family := range now {
		sum := held[family.GetName()]
		if sum == nil || sum.GetType() != family.GetType() {
			sum = &dto.MetricFamily{Name: family.Name, Type: family.Type, Unit: family.Unit}
			held[family.GetName()] = sum
		}
		sum.Help = family.Help
		earlier, sums := series(find(before, family.GetName())), series(sum)
		for _, metric := range family.GetMetric() {
			key := labels(metric)
			difference := proto.CloneOf(metric)
			if old := earlier[key]; old != nil {
				combine(difference, old, -1)
			}
			if total := sums[key]; total == nil {
				sum.Metric = append(sum.Metric, difference)
			} else if !combine(total, difference, 1) {
				proto.Reset(total)
				proto.Merge(total, difference)
			}
		}
	}
	return slices.SortedFunc(maps.Values(held), func(a, b *dto.MetricFamily) int { return cmp.Compare(a.GetName(), b.GetName()) })
}

// combine adds what to metric if sign is 1, and takes it away if it is -1.
// Gauges cannot be added up: metric is what it was for -1, and what is for 1. It
// returns false if the two are histograms of different buckets.
func combine(metric, what *dto.Metric, sign float64) bool {
	switch {
	case metric.Counter != nil && what.Counter != nil:
		metric.Counter.Value = proto.Float64(metric.Counter.GetValue() + sign*what.Counter.GetValue())
	case metric.Gauge != nil && what.Gauge != nil:
		if sign > 0 {
			metric.Gauge = what.Gauge
		}
	case metric.Histogram != nil && what.Histogram != nil:
		return combineHistograms(metric.Histogram, what.Histogram, sign)
	}
	return true
}

func combineHistograms(sum, what *dto.Histogram, sign float64) bool {
	buckets, others := finite(sum), finite(what)
	if !slices.EqualFunc(buckets, others, func(a, b *dto.Bucket) bool { return a.GetUpperBound() == b.GetUpperBound() }) {
		return false
	}
	count := func(a, b uint64) *uint64 {
		if sign < 0 {
			return proto.Uint64(a - b)
		}
		return proto.Uint64(a + b)
	}
	for i := range buckets {
		buckets[i].CumulativeCount = count(buckets[i].GetCumulativeCount(), others[i].GetCumulativeCount())
	}
	sum.Bucket = buckets
	sum.SampleCount = count(sum.GetSampleCount(), what.GetSampleCount())
	sum.SampleSum = proto.Float64(sum.GetSampleSum() + sign*what.GetSampleSum())
	return true
}

// finite returns the buckets with a bound; a file also has that of all samples.
func finite(histogram *dto.Histogram) []*dto.Bucket {
	return slices.DeleteFunc(slices.Clone(histogram.GetBucket()), func(b *dto.Bucket) bool { return math.IsInf(b.GetUpperBound(), 1) })
}

// same tells whether two gatherings are equal.
func same(a, b []*dto.MetricFamily) bool {
	return slices.EqualFunc(a, b, func(a, b *dto.MetricFamily) bool { return proto.Equal(a, b) })
}

func find(families []*dto.MetricFamily, name string) *dto.MetricFamily {
	i := slices.IndexFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == name })
	if i < 0 {
		return nil
	}
	return families[i]
}

// series returns a family's metrics by their labels.
func series(family *dto.MetricFamily) map[string]*dto.Metric {
	byLabels := make(map[string]*dto.Metric, len(family.GetMetric()))
	for _, metric := range family.GetMetric() {
		byLabels[labels(metric)] = metric
	}
	return byLabels
}

// labels is a metric's labels as one string, whatever their order.
func labels(metric *dto.Metric) string {
	pairs := make([]string, 0, len(metric.GetLabel()))
	for _, pair := range metric.GetLabel() {
		pairs = append(pairs, pair.GetName()+"\xff"+pair.GetValue())
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "\xfe")
}
