/**
 * The intended differences from the tables of the specification. Some fields are added. Other values may be
 * null or have another type.
 */

/** The added fields, by object or by route. `name.*` means the field `name` and all fields inside it. */
export const extras: Readonly<Record<string, readonly string[]>> = {
  // These fields are for backtests. They show when each row was known, and which row a reorg withdrew in
  // favour of this row.
  rhBurst: ['supersedes', 'gaps', 'knownAt', 'publishedAt', 'filled.*'],
  solBurst: ['supersedes', 'gaps', 'knownAt', 'publishedAt', 'filled.*'],
  solGrad: ['supersedes', 'gaps', 'knownAt', 'publishedAt', 'filled.*', 'burst.at', 'burst.inflowSol', 'burst.curveAt'],
  copyBuy: [
    'gaps',
    'knownAt',
    'publishedAt',
    'filled.*',
    'leaderNext.sellAfterSec',
    'leaderNext.soldShare',
    'leaderNext.gain',
  ],
  liveCall: ['callId', 'calledAt', 'late', 'rugged', 'gaps', 'knownAt', 'publishedAt'],
  callOutcome: ['rugged', 'ruggedAtH', 'gaps', 'knownAt'],
  callerRow: ['interval90.*', 'weight', 'gapCalls'],
  walletLeader: ['gapBuys'],
  // The fields that describe the missing trades of a row.
  poolFlow: ['gaps'],
  tradeGaps: ['trades', 'volume', 'knownAt'],
  minuteGaps: ['minuteStartMs', 'trades', 'volume', 'knownAt'],
  // The token or mint that the answer is about, and the times at which the service knew and published the
  // answer.
  '/v1/rh/token/{addr}/precall': ['token', 'gaps', 'knownAt', 'publishedAt', 'filled.*'],
  '/v1/scanner/{mint}': ['mint', 'bots', 'cards', 'lastCardAt', 'knownAt', 'publishedAt'],
  // The number of pools that are not in the list.
  '/v1/rh/pools/new': ['poolsLeftOut'],
  '/v1/rh/token/{addr}/rugcheck': ['poolsLeftOut'],
  '/v1/snapshot': ['chainA.newPoolsLeftOut'],
  // The token or mint of the answer, and the time of the trade or signal.
  '/v1/rh/token/{addr}/verdict': ['token'],
  '/v1/sol/token/{mint}/verdict': ['mint', 'method.*'],
  deskLastTrade: ['closedAt'],
  deskShadow: ['signalAt', 'signal'],
  scannerFields: ['bots', 'cards', 'lastCardAt'],
  deskTrade: ['knownAt', 'publishedAt'],
  filledAt: ['knownAt', 'publishedAt'],
  // The constants of each metric, and the time when the list was rebuilt.
  '/v1/sol/wallets/leaders': [
    ...['rebuiltAt', 'method.maxN', 'method.capRet', 'method.replays'],
    ...['method.replay.*', 'method.shadow.*'],
  ],
  '/v1/sol/wallets/{addr}/copy-stats': ['rebuiltAt', 'method.*'],
  '/v1/sol/callers/leaderboard': [
    ...['rebuiltAt', 'gapCalls', 'method.median', 'method.shrink.kByMetric.*', 'method.shrink.kOf'],
    ...['method.shrink.kMin', 'method.shrink.kMax', 'method.interval90', 'method.weight', 'method.window'],
    ...['method.noPriceExcluded', 'method.unansweredExcluded', 'method.tooManyExcluded', 'method.askedCount'],
    'method.prices',
  ],
  '/v1/sol/calls/outcomes': ['rebuiltAt', 'method.*'],
  '/v1/sol/calls/live': ['method.*'],
  '/v1/sol/grads/live': ['method.graduation', 'method.path', 'method.burst', 'method.post'],
  '/v1/sol/grads/history': ['method.graduation', 'method.path', 'method.burst', 'method.post'],
  // The description of how the paper desk (the simulated trader) works.
  '/v1/desk/trades': ['method.*'],
  '/v1/sample': ['schemaVersion', 'ageSec', 'note', 'chainA.*', 'chainB.*'],
  // The state of each chain, and a notice if the trades are simulated.
  '/v1/health': ['status', 'generatedAt', 'source', 'notice', 'clock', 'chains.*'],
  '/': [
    ...['source', 'notice', 'payments.protocol', 'payments.version', 'payments.scheme', 'payments.isLive'],
    ...['payments.networks.*', 'data.coinPriceAgeSec', 'endpoints[].url'],
    ...['name', 'in', 'type', 'description', 'pattern', 'min', 'max', 'values', 'default'].map(
      (name) => `endpoints[].params[].${name}`,
    ),
  ],
  '/v1/stats': ['payFailures[].day', 'payFailures[].route', 'payFailures[].code', 'payFailures[].n', 'settlements.*'],
}

/** The parameter that every data route has in addition to those of the specification. */
export const addedParams = ['asOf integer 0..9007199254740991']

type Decided = Readonly<{ is: string; because: string }>

/**
 * Makes the entries for fields that are null if their value is not known. Zero would be a wrong value for
 * them.
 */
const notKnown = (of: string, fields: Readonly<Record<string, string>>): Readonly<Record<string, Decided>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, is]) => [`${of}.${name}`, { is, because: 'it may not be known' }]),
  )

/** The field types that replace the types in the tables of the specification. */
export const decided: Readonly<Record<string, Decided>> = {
  ...notKnown('/v1/rh/token/{addr}/precall', {
    ...{ buys: 'integer|null', buyEth: 'number|null', sameBlockMaxTx: 'integer|null', run60: 'number|null' },
    ...{ ageAtCallMin: 'number|null', chg1h0: 'number|null', sameBlockWallets: 'integer|null' },
  }),
  ...notKnown('/v1/scanner/{mint}.fields', {
    ...{ top10Pct: 'number|null', topHolder1Pct: 'number|null', snipers: 'integer|null', sniperPct: 'number|null' },
    ...{ bundlers: 'integer|null', bundlePct: 'number|null', devLeftPct: 'number|null', fresh1d: 'number|null' },
    ...{ fresh7d: 'number|null', holders: 'integer|null' },
  }),
  'rugProfile.creator': { is: 'string|null', because: 'the sender of the transaction may not have been read' },
  'solAnatomy.holdersTop10': { is: 'number|null', because: 'the holders may not have been readable' },
  'solAnatomy.repeatBuyers': { is: 'integer|null', because: 'the buyers of earlier bursts may not be known yet' },
  'solAnatomy.holderTop1': { is: 'number|null', because: 'the holders may not have been readable' },
  '/v1/rh/token/{addr}/verdict.tokenAgeMin': {
    is: 'number|null',
    because: 'the curve of the token may be older than the log, and its launch unreadable',
  },
  'rhVerdictPrecall.buys': { is: 'integer|null', because: 'they are missing of a token that was not tracked' },
  'rhVerdictPrecall.buyEth': { is: 'number|null', because: 'they are missing of a token that was not tracked' },
  'rhVerdictPrecall.run60': { is: 'number|null', because: 'the price an hour before may not be known' },
  'rhVerdictPrecall.ageAtCallMin': { is: 'number|null', because: 'a token that is not tracked has no known age' },
  'rhVerdictPrecall.sameBlockWallets': { is: 'integer|null', because: 'the wallets may not be known yet, or ever' },
  'solGrad.path': { is: 'array of [integer, number]', because: 'arrays of numbers are pairs here: seconds and fill' },
}
