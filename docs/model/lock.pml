/* The device lock beyond one process: leases, time, Sets under way, fencing.
 * README.md says what stands for what; run.sh verifies the model and its broken
 * variants. Every interval is half-open: what has w ticks left happens before
 * the w-th tick from now.
 */

#ifndef N
#define N 2             /* processes */
#endif
#ifndef GRANTS
#define GRANTS 3        /* leases in one run of the model */
#endif
#ifndef FLIGHTS
#define FLIGHTS 2       /* Sets under way at once */
#endif
#ifdef FENCED           /* nothing depends on time: all of it may happen at any time */
#define TTL 1
#define SET 1
#define LATE 1
#define SKEW 0
#define NO_MARGIN
#define NO_LOCK_DELAY
#define NO_CHECK
#define NO_SIT_OUT
#define EARLY_RELEASE
#define CUT_OFF
#define timed false
#else
#define timed true
#define TTL 3           /* how long work may rely on a lease, with the margin */
#define SET 2           /* set_timeout */
#define LATE 1          /* how long a device goes on after the sender gave up */
#define SKEW 1          /* how far a process's clock lags in one TTL */
#endif

#ifdef NO_MARGIN
#define MARGIN 0
#else
#define MARGIN 1
#endif
#ifdef NO_LOCK_DELAY
#define DELAY 0
#else
#define DELAY 1         /* the lock delay: at least LATE */
#endif
#define USABLE (TTL - MARGIN)
#define KEPT   (TTL + DELAY)  /* for how long the store keeps a lease */

#define NOBODY N
#define NONE FLIGHTS

/* The store. */
byte holder = NOBODY;
byte kept;              /* ticks until the lease lapses */
byte grants;            /* the last fence */
bool orphan;            /* the holder before had neither released nor lapsed */

/* The processes. */
#define IDLE    0
#define ASKING  1       /* the store has not seen the request */
#define GRANTED 2       /* the answer is on its way */
#define SITTING 3       /* on an orphaned lease */
#define HOLDING 4
#define SENDING 5       /* has taken the Set's deadline from the lease */
#define WAITING 6       /* for the device's answer */
byte at[N];
byte fence[N];
byte valid[N], lag[N];  /* what is left of the lease, and how far the clock may still lag */
byte asked[N], alag[N]; /* the same of an acquisition or a renewal under way */
byte renewing[N];       /* 0 no, 1 the store has not seen it, 2 the answer is on its way */
byte left[N];           /* ticks until the Set's deadline */
byte wire[N];           /* the timeout that a late Set carries */
byte sit[N];            /* ticks to sit out */
byte unsure[N];         /* ticks for which an unanswered Set may go on */
bool lost[N];           /* has been told so */
bool inherited[N];      /* the lease is an orphaned one */
bool known[N];          /* the device knows the fence */
bool ready[N];          /* has read the device */
byte mine[N];           /* the Set waited for */
byte answer[N];         /* 0 none, 1 done, 2 refused */

/* The device and the Sets on their way to it. */
bool flying[FLIGHTS], hello[FLIGHTS];
byte window[FLIGHTS], token[FLIGHTS], sender[FLIGHTS];
bool passed[FLIGHTS];   /* its fence was compared, and it is not applied yet */
byte elected;           /* the largest fence that the device has seen */
byte read;              /* the largest fence under which the device was read */

#define min(a, b) ((a) < (b) -> (a) : (b))
#define max(a, b) ((a) > (b) -> (a) : (b))

#ifdef FENCED
#define greeted(i) known[i]
#else
#define greeted(i) true
#endif

#ifdef EARLY_RELEASE
#define settled(i) true
#else
#define settled(i) (unsure[i] == 0)
#endif

/* What process i has sent ends soon: it has given up. */
inline giveUp(i) {
	for (s : 0 .. FLIGHTS - 1) {
		if
		:: flying[s] && sender[s] == i -> window[s] = min(window[s], LATE)
		:: else
		fi
	}
	mine[i] = NONE; answer[i] = 0
}

inline forget(i) {
	at[i] = IDLE; fence[i] = 0; valid[i] = 0; lag[i] = 0; asked[i] = 0; alag[i] = 0;
	renewing[i] = 0; left[i] = 0; wire[i] = 0; sit[i] = 0; unsure[i] = 0; lost[i] = false;
	inherited[i] = false; known[i] = false; ready[i] = false; mine[i] = NONE; answer[i] = 0
}

inline gotLease(i) {
#ifdef FROM_ANSWER
	valid[i] = USABLE; lag[i] = SKEW;
#else
	valid[i] = asked[i]; lag[i] = (asked[i] -> alag[i] : 0);
#endif
	asked[i] = 0; alag[i] = 0
}

/* Sending: the deadline lies within the lease. */
inline check(i) {
#ifdef NO_CHECK
	left[i] = SET;
#else
	left[i] = min(SET, valid[i]);
#endif
#ifdef PAUSE
	wire[i] = left[i];
#endif
	at[i] = SENDING
}

inline launch(i, s) {
#ifndef FENCED
	for (o : 0 .. FLIGHTS - 1) {
		assert(!flying[o] || token[o] == fence[i]) /* no two owners at once */
	}
#endif
	flying[s] = true; hello[s] = !greeted(i); token[s] = fence[i]; sender[s] = i;
	window[s] = left[i] + lag[i] + LATE;
#ifdef PAUSE
	window[s] = wire[i] + lag[i] + LATE; left[i] = wire[i]; wire[i] = 0;
#endif
	mine[i] = s; answer[i] = 0; at[i] = WAITING
}

proctype Owner(byte i) {
	byte s, o;
end:	do
	/* Acquire. */
	:: atomic { at[i] == IDLE && holder == NOBODY && grants < GRANTS ->
		asked[i] = USABLE; alag[i] = SKEW; at[i] = ASKING }
	:: atomic { at[i] == ASKING && holder != NOBODY -> forget(i) }
	:: atomic { at[i] == ASKING && holder == NOBODY && grants == GRANTS -> forget(i) }
	:: atomic { at[i] == ASKING && holder == NOBODY && grants < GRANTS ->
		grants++; holder = i; kept = KEPT; fence[i] = grants;
		inherited[i] = orphan; orphan = false; at[i] = GRANTED }
	:: atomic { at[i] == GRANTED && !lost[i] ->
		gotLease(i);
		if
#ifndef NO_SIT_OUT
		:: inherited[i] -> sit[i] = DELAY; at[i] = SITTING
		:: !inherited[i] -> at[i] = HOLDING
#else
		:: at[i] = HOLDING
#endif
		fi }
	/* Renew. An orphaned lease is renewed once it has been sat out. */
	:: atomic { timed && at[i] >= SITTING && sit[i] == 0 && renewing[i] == 0 && !lost[i] ->
		renewing[i] = 1; asked[i] = USABLE; alag[i] = SKEW }
	:: atomic { renewing[i] == 1 && holder == i -> renewing[i] = 2; kept = KEPT }
	:: atomic { renewing[i] == 1 && holder != i ->
		renewing[i] = 0; asked[i] = 0; alag[i] = 0; lost[i] = true }
	:: atomic { renewing[i] == 2 && !lost[i] ->
		renewing[i] = 0; gotLease(i);
		if
		:: at[i] == SITTING -> at[i] = HOLDING
		:: else
		fi }
	:: atomic { renewing[i] > 0 -> /* not heard, or its answer is not */
		renewing[i] = 0; asked[i] = 0; alag[i] = 0 }
	/* Read, once the device knows the new owner. */
	:: atomic { at[i] == HOLDING && !ready[i] && !lost[i] && greeted(i) ->
		ready[i] = true;
		read = max(read, fence[i]) }
#ifdef NO_HELLO
	:: atomic { at[i] == HOLDING && !ready[i] && !lost[i] ->
		known[i] = true }
#endif
	/* Send, and wait for the answer or the deadline. */
	:: atomic { at[i] == HOLDING && (ready[i] || !greeted(i)) && !lost[i] -> check(i) }
#ifdef PAUSE
	:: atomic { at[i] == SENDING && wire[i] > 0 ->
#else
	:: atomic { at[i] == SENDING && left[i] > 0 && !lost[i] ->
#endif
		s = 0;
		do
		:: s < FLIGHTS && flying[s] -> s++
		:: else -> break
		od;
		if
		:: s < FLIGHTS -> launch(i, s)
		:: else -> at[i] = HOLDING; left[i] = 0; wire[i] = 0 /* enough under way */
		fi; s = 0; o = 0 }
	:: atomic { at[i] == SENDING && (left[i] == 0 || lost[i]) ->
		at[i] = HOLDING; left[i] = 0; wire[i] = 0 }
	:: atomic { at[i] == WAITING && answer[i] == 1 ->
		known[i] = true; mine[i] = NONE; answer[i] = 0; left[i] = 0; at[i] = HOLDING }
	:: atomic { at[i] == WAITING && answer[i] == 2 -> lost[i] = true; at[i] = HOLDING }
	:: atomic { at[i] == WAITING && (left[i] == 0 || !timed) && answer[i] == 0 ->
		giveUp(i); left[i] = 0; unsure[i] = (timed -> LATE : 0); at[i] = HOLDING; s = 0 }
	/* Release. */
	:: atomic { at[i] == HOLDING && !lost[i] && settled(i) ->
		if
		:: holder == i -> holder = NOBODY; kept = 0
		:: else
		fi; forget(i) }
	/* The lease was lost, or has run out unrenewed. */
	:: atomic { (at[i] == HOLDING || at[i] == WAITING || at[i] == SITTING || at[i] == GRANTED) &&
		    (lost[i] || (valid[i] == 0 && at[i] != GRANTED)) ->
		giveUp(i); forget(i); s = 0 }
	/* The host dies: the lease lapses, and what was sent goes on. */
	:: atomic { at[i] >= GRANTED -> forget(i) }
	/* The process dies: its connections close and its lease is an orphan. */
	:: atomic { at[i] >= GRANTED && holder == i ->
		holder = NOBODY; kept = 0; orphan = true; giveUp(i); forget(i); s = 0 }
	od
}

/* Somebody frees the lease by force. The holder hears of it before the next
 * tick, unless it is cut off from the store. */
proctype Breaker() {
	byte s, i;
end:	do
	:: atomic { holder != NOBODY ->
		i = holder; holder = NOBODY; kept = 0; orphan = true;
#ifndef CUT_OFF
		lost[i] = true; giveUp(i);
		if
		:: at[i] == WAITING -> at[i] = HOLDING
		:: else
		fi;
#endif
		s = 0; i = 0 }
	od
}

/* Compare the fence and apply the Set, in one step. */
#ifndef FENCED
#define refused(s) false
#elif defined(SPLIT)
#define refused(s) (token[s] < elected && !passed[s])
#else
#define refused(s) (token[s] < elected)
#endif

inline apply(s) {
#ifdef FENCED
	elected = max(elected, token[s]);
#endif
	if
	:: hello[s]
	:: else -> assert(token[s] >= read) /* no Set of an old owner after a new one has read */
	fi
}

proctype Device() {
	byte s, i;
end:	do
	:: atomic { select (s : 0 .. FLIGHTS - 1);
		if
		:: flying[s] ->
			i = sender[s];
			if
			:: refused(s) && mine[i] == s -> answer[i] = 2
			:: refused(s) && mine[i] != s
			:: !refused(s) -> apply(s);
				if
				:: mine[i] == s -> answer[i] = 1
				:: mine[i] == s -> mine[i] = NONE /* the answer is lost */
				:: mine[i] != s
				fi
			:: !passed[s] && mine[i] == s -> mine[i] = NONE /* the Set is lost */
			:: !passed[s] && mine[i] != s
			fi;
			flying[s] = false; window[s] = 0; sender[s] = 0;
			token[s] = 0; hello[s] = false; passed[s] = false
		:: else
		fi; s = 0; i = 0 }
#ifdef SPLIT
	:: atomic { select (s : 0 .. FLIGHTS - 1);
		if
		:: flying[s] && token[s] >= elected -> elected = token[s]; passed[s] = true
		:: else
		fi; s = 0; i = 0 }
#endif
	od
}

/* One tick. A process's clock may lag; what is due has to happen first. */
proctype Time() {
	byte s, i;
	bool due;
end:	do
#ifdef FENCED
	:: atomic { holder != NOBODY -> holder = NOBODY; kept = 0 }
#else
	:: atomic {
		due = false;
		for (s : 0 .. FLIGHTS - 1) {
			if :: flying[s] && window[s] <= 1 -> due = true :: else fi
		}
		if
		:: due
		:: else ->
			for (s : 0 .. FLIGHTS - 1) {
				if :: window[s] > 0 -> window[s]-- :: else fi
			}
			if :: kept > 0 -> kept-- :: else fi;
			if :: kept == 0 -> holder = NOBODY :: else fi;
			for (i : 0 .. N - 1) {
				if :: sit[i] > 0 -> sit[i]-- :: else fi;
				if :: unsure[i] > 0 -> unsure[i]-- :: else fi;
				if
				:: (valid[i] == 0 || lag[i] > 0) && (asked[i] == 0 || alag[i] > 0) &&
				   valid[i] + asked[i] > 0 -> /* the clock lags */
					if :: lag[i] > 0 -> lag[i]-- :: else fi;
					if :: alag[i] > 0 -> alag[i]-- :: else fi
				:: true ->
					if :: valid[i] > 0 -> valid[i]-- :: else fi;
					if :: asked[i] > 0 -> asked[i]-- :: else fi;
					if :: left[i] > 0 -> left[i]-- :: else fi
				fi;
				if :: valid[i] == 0 -> lag[i] = 0 :: else fi;
				if :: asked[i] == 0 -> alag[i] = 0 :: else fi
			}
		fi; s = 0; i = 0; due = false }
#endif
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) { mine[i] = NONE; run Owner(i) }
		run Breaker(); run Device(); run Time()
	}
}
