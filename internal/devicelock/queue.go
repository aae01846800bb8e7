package devicelock

// queue is a heap of waiting grants for container/heap. The key is the arrival
// plus the class in age steps: all keys age alike, so none ever changes.
type queue []*Grant

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].before(q[j]) }

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push is for container/heap only.
func (q *queue) Push(grant any) {
	entry := grant.(*Grant) //nolint:forcetypeassert // the heap holds nothing else
	entry.index = len(*q)
	*q = append(*q, entry)
}

// Pop is for container/heap only.
func (q *queue) Pop() any {
	last := len(*q) - 1
	entry := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return entry
}

// position returns the grant's place in the order, from 1.
func (q queue) position(grant *Grant) int {
	position := 1
	for _, other := range q {
		if other.before(grant) {
			position++
		}
	}
	return position
}
