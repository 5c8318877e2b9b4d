/**
 * Where the product differs from the tables of the specification, on purpose: fields that it adds, and values that may be
 * null or of another type because nothing is shown as something that it is not.
 */

/** Added fields, by object or route; `name.*` is the whole of it. */
export const extras: Readonly<Record<string, readonly string[]>> = {
  // When a row could be had, and which row a reorg withdrew in favour of it: a backtest must not know more.
  rhBurst: ['supersedes', 'knownAt', 'publishedAt'],
  solBurst: ['supersedes', 'knownAt', 'publishedAt'],
  solGrad: ['supersedes', 'knownAt', 'publishedAt', 'burst.at', 'burst.inflowSol', 'burst.curveAt'],
  copyBuy: ['knownAt', 'publishedAt', 'leaderNext.sellAfterSec', 'leaderNext.soldShare', 'leaderNext.gain'],
  // What a list leaves out is counted.
  '/v1/rh/pools/new': ['poolsLeftOut'],
  '/v1/rh/token/{addr}/rugcheck': ['poolsLeftOut'],
  '/v1/snapshot': ['chainA.newPoolsLeftOut'],
  // Every constant of a metric, and the instant of the rebuild.
  '/v1/sol/wallets/leaders': [
    ...['rebuiltAt', 'method.maxN', 'method.capRet', 'method.replays'],
    ...['method.replay.*', 'method.shadow.*'],
  ],
  '/v1/sol/wallets/{addr}/copy-stats': ['rebuiltAt', 'method.*'],
  '/v1/sol/grads/live': ['method.graduation', 'method.path', 'method.burst', 'method.post'],
  '/v1/sol/grads/history': ['method.graduation', 'method.path', 'method.burst', 'method.post'],
  // How the desk trades, in words.
  '/v1/desk/trades': ['method.*'],
  '/v1/sample': ['schemaVersion', 'ageSec', 'note', 'chainA.*', 'chainB.*'],
  // Each chain, and that a market is simulated.
  '/v1/health': ['status', 'generatedAt', 'source', 'notice', 'chains.*'],
  '/': [
    ...['source', 'notice', 'payments.protocol', 'payments.version', 'payments.scheme', 'payments.isLive'],
    ...['payments.networks.*', 'data.coinPriceAgeSec'],
    ...['name', 'in', 'type', 'description', 'pattern', 'min', 'max', 'values', 'default'].map(
      (name) => `endpoints[].params[].${name}`,
    ),
  ],
  '/v1/stats': ['payFailures[].day', 'payFailures[].route', 'payFailures[].code', 'payFailures[].n'],
}

/** What a field is in place of what the table says of it. */
export const decided: Readonly<Record<string, Readonly<{ is: string; because: string }>>> = {
  'rugProfile.creator': { is: 'string|null', because: 'the sender of the transaction may not have been read' },
  'solAnatomy.holdersTop10': { is: 'number|null', because: 'the holders may not have been readable' },
  'solAnatomy.holderTop1': { is: 'number|null', because: 'the holders may not have been readable' },
  'solGrad.path': { is: 'array of [integer, number]', because: 'arrays of numbers are pairs here: seconds and fill' },
}
