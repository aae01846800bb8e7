package telemetry

import (
	"fmt"
	"math"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"google.golang.org/protobuf/proto"
)

// families returns metrics of this package's instruments in Prometheus' terms,
// named as OpenTelemetry's specification of compatibility with Prometheus has
// it. Sums that can fall are gauges.
//
// OpenTelemetry's exporter for Prometheus does the same, and brings Prometheus'
// own client along, whose start every run would pay for
// (docs/adr/0008-engines-own-clients.md).
func families(collected *metricdata.ResourceMetrics) ([]*dto.MetricFamily, error) {
	var all []*dto.MetricFamily
	namer := otlptranslator.NewMetricNamer("", otlptranslator.UnderscoreEscapingWithSuffixes)
	for _, scope := range collected.ScopeMetrics {
		for _, m := range scope.Metrics {
			family := &dto.MetricFamily{Help: proto.String(m.Description)}
			var kind otlptranslator.MetricType
			switch data := m.Data.(type) {
			case metricdata.Histogram[float64]:
				kind, family.Type = otlptranslator.MetricTypeHistogram, dto.MetricType_HISTOGRAM.Enum()
				for _, point := range data.DataPoints {
					family.Metric = append(family.Metric, &dto.Metric{Label: pairs(point.Attributes), Histogram: histogram(&point)})
				}
			case metricdata.Sum[int64]:
				kind, family.Type = otlptranslator.MetricTypeNonMonotonicCounter, dto.MetricType_GAUGE.Enum()
				if data.IsMonotonic {
					kind, family.Type = otlptranslator.MetricTypeMonotonicCounter, dto.MetricType_COUNTER.Enum()
				}
				for _, point := range data.DataPoints {
					metric, value := &dto.Metric{Label: pairs(point.Attributes)}, proto.Float64(float64(point.Value))
					if data.IsMonotonic {
						metric.Counter = &dto.Counter{Value: value}
					} else {
						metric.Gauge = &dto.Gauge{Value: value}
					}
					family.Metric = append(family.Metric, metric)
				}
			default:
				return nil, fmt.Errorf("%s is a %T, which has no form in the file", m.Name, m.Data)
			}
			name, err := namer.Build(otlptranslator.Metric{Name: m.Name, Unit: m.Unit, Type: kind})
			if err != nil {
				return nil, err
			}
			family.Name = &name
			all = append(all, family)
		}
	}
	return all, nil
}

// pairs returns attributes as labels. Their names are this package's own, and
// are valid ones.
func pairs(attributes attribute.Set) []*dto.LabelPair {
	labels := make([]*dto.LabelPair, 0, attributes.Len())
	for _, a := range attributes.ToSlice() {
		labels = append(labels, &dto.LabelPair{Name: proto.String(string(a.Key)), Value: proto.String(a.Value.String())})
	}
	return labels
}

// histogram returns a histogram with buckets that hold the smaller ones too.
func histogram(point *metricdata.HistogramDataPoint[float64]) *dto.Histogram {
	h := &dto.Histogram{SampleCount: proto.Uint64(point.Count), SampleSum: proto.Float64(point.Sum)}
	below := uint64(0)
	for i, bound := range append(point.Bounds[:len(point.Bounds):len(point.Bounds)], math.Inf(1)) {
		below += point.BucketCounts[i]
		h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: proto.Float64(bound), CumulativeCount: proto.Uint64(below)})
	}
	return h
}
