/* Turns at the device lock: the store's queue, priorities, and the bound on a
 * cohort of steps of one process. README.md says what stands for what; run.sh
 * verifies the model and its broken variants.
 *
 * Owners 0 and 1 are normal and want the device again and again. Owner 2 is
 * urgent and wants it URGENT times. Owner 1 may die.
 */

#define N 3
#define NOBODY N
#define STEP 2          /* ticks that a step takes */
#define COHORT 3        /* ticks for which steps may follow one another while another waits */
#define KEPT 5          /* ticks for which the store keeps a dead holder's lease */
#define PLACE 3         /* and a dead waiter's request */
#define URGENT 3
#define urgent(i) ((i) == 2)

byte holder = NOBODY;
byte queue[N] = NOBODY; /* who waits, the next first */
bool waiting[N];
bool earlier[9];        /* earlier[N*i+j]: j already waited when i asked */
bool dead;              /* owner 1 */
byte kept, place;       /* ticks until what the dead one left lapses */
byte held;              /* ticks of the hold, up to COHORT */
byte step;              /* ticks left of the holder's step */
byte kept_waiting, kept_urgent; /* ticks of the hold in which another, or a more urgent one, waited */
byte wishes = URGENT;

#define wanted (queue[0] != NOBODY)
#define alive(i) !(dead && (i) == 1)

#ifdef NO_YIELD
#define must_yield false
#elif defined(NO_COHORT)
#define must_yield (wanted && urgent(queue[0]) && !urgent(holder))
#elif defined(NO_PREEMPTION)
#define must_yield (wanted && held >= COHORT)
#else
#define must_yield (wanted && (held >= COHORT || (urgent(queue[0]) && !urgent(holder))))
#endif

#ifdef BARGING
#define first(i) true
#else
#define first(i) (queue[0] == i)
#endif

/* Where i goes in the queue: the urgent before the others, else behind. */
inline enqueue(i) {
	n = 0;
	do
#ifdef LAST_FIRST
	:: queue[n] != NOBODY && urgent(queue[n]) && !urgent(i) -> n++
#elif defined(NO_PRIORITY)
	:: queue[n] != NOBODY -> n++
#else
	:: queue[n] != NOBODY && (!urgent(i) || urgent(queue[n])) -> n++
#endif
	:: else -> break
	od;
	m = N - 1;
	do
	:: m > n -> queue[m] = queue[m - 1]; m--
	:: else -> break
	od;
	queue[n] = i;
	for (m : 0 .. N - 1) { earlier[N * i + m] = waiting[m] }
	waiting[i] = true; n = 0; m = 0
}

inline dequeue(i) {
	n = 0;
	do
	:: queue[n] != i -> n++
	:: else -> break
	od;
	do
	:: n < N - 1 -> queue[n] = queue[n + 1]; n++
	:: else -> break
	od;
	queue[N - 1] = NOBODY; waiting[i] = false;
	for (n : 0 .. N - 1) { earlier[N * n + i] = false; earlier[N * i + n] = false }
	n = 0
}

inline free() {
	holder = NOBODY; held = 0; step = 0; kept_waiting = 0; kept_urgent = 0
}

proctype Owner(byte i) {
	byte n, m;
end:	do
	:: atomic { alive(i) && holder != i && !waiting[i] && (!urgent(i) || wishes > 0) ->
		if
#ifndef ENDLESS
		:: urgent(i) -> wishes--
#endif
		:: else
		fi; enqueue(i) }
	:: atomic { alive(i) && waiting[i] && holder == NOBODY && first(i) ->
		for (m : 0 .. N - 1) {
			assert(!waiting[m] || !urgent(m) || urgent(i));
			assert(!waiting[m] || urgent(m) != urgent(i) || !earlier[N * i + m])
		}
		m = 0; dequeue(i); holder = i; step = STEP }
	/* A step is over: another one, if it is nobody else's turn. */
	:: atomic { alive(i) && holder == i && step == 0 && !must_yield -> step = STEP }
	:: atomic { alive(i) && holder == i && step == 0 -> free() }
	:: atomic { i == 1 && alive(i) ->
		dead = true;
		if
		:: holder == i -> kept = KEPT
		:: else
		fi;
		if
		:: waiting[i] -> place = PLACE
		:: else
		fi }
	od
}

/* Those who live act before the next tick. */
proctype Time() {
	byte n, m;
end:	do
	:: atomic {
		!(holder != NOBODY && alive(holder) && step == 0) &&
		!(holder == NOBODY && wanted && alive(queue[0])) ->
		if
		:: step > 0 -> step--
		:: else
		fi;
		if
		:: holder != NOBODY && alive(holder) ->
			held = (held < COHORT -> held + 1 : held);
			if
			:: wanted -> kept_waiting++
			:: else -> kept_waiting = 0
			fi;
			if
			:: wanted && !urgent(holder) && waiting[2] -> kept_urgent++
			:: else
			fi;
			assert(kept_waiting <= COHORT + STEP);
			assert(kept_urgent <= STEP)
		:: else
		fi;
		if
		:: kept > 0 -> kept--;
			if
			:: kept == 0 -> free()
			:: else
			fi
		:: else
		fi
#ifndef NO_LAPSE
		;
		if
		:: place > 0 -> place--;
			if
			:: place == 0 ->
				dequeue(1);
				if
				:: !wanted -> kept_waiting = 0
				:: else
				fi
			:: else
			fi
		:: else
		fi
#endif
	}
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) { run Owner(i) }
		run Time()
	}
}

/* Each one's turn comes. */
ltl turn { [] ((waiting[0] -> <> (holder == 0)) && (waiting[2] -> <> (holder == 2))) }
