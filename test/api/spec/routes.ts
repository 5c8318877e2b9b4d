/**
 * What the specification says about every route: price, freshness, parameters and answer. The notation is
 * that of `tables.ts`.
 */
import { envelopes } from './tables.ts'

export type SpecRoute = Readonly<{
  usd: number
  maxAgeSec?: number
  /**
   * How far back `asOf` can go, with default parameters, in hours. The field is missing if the route has no
   * `asOf`.
   */
  asOfHours?: number
  /** The parameters, one per line: `name type bounds =default`. */
  params: string
  answer: string
}>

const tier = (byDefault: string) => `tier string main,lite,refire,old,all =${byDefault}`
const lp = 'lp string all,safe,held =all'

const leaderMethod = `
    method object -
    method.metric string -
    method.window string -
    method.shrink object -
    method.shrink.k number -
    method.shrink.prior number -
    method.minN integer -`

/**
 * The paid routes, in the order of the list on `/`. A route is left out if the specification does not show
 * its parameters or its answer.
 */
export const paid: Readonly<Record<string, SpecRoute>> = {
  '/v1/rh/bursts/live': {
    ...{ usd: 0.01, maxAgeSec: 120, asOfHours: 24 },
    params: `minutes number 1..240 =60
      ${tier('main')}
      ${lp}`,
    answer: `${envelopes.chainA}
      bursts array of rhBurst -
      note? string -
      latest? rhBurst|null -`,
  },
  '/v1/rh/bursts/history': {
    ...{ usd: 0.02, maxAgeSec: 120, asOfHours: 24 },
    params: `hours number 1..24 =24
      ${tier('all')}
      ${lp}`,
    answer: `${envelopes.chainA}
      bursts array of rhBurst -`,
  },
  '/v1/rh/pools/new': {
    ...{ usd: 0.005, maxAgeSec: 120, asOfHours: 24 },
    params: `hours number 1..24 =6
      limit number 1..1000 =200`,
    answer: `${envelopes.chainA}
      pools array of pool -`,
  },
  '/v1/rh/pools/{id}/flow': {
    ...{ usd: 0.005, maxAgeSec: 120, asOfHours: 24 },
    params: 'id string ^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
    answer: `${envelopes.chainA}
      pool poolFlow -
      bursts array of rhBurst -`,
  },
  '/v1/rh/token/{addr}/rugcheck': {
    ...{ usd: 0.02, maxAgeSec: 120, asOfHours: 24 },
    params: 'addr string ^0x[0-9a-fA-F]{40}$',
    answer: `${envelopes.bare}
      token string -
      class string - held,unknown,empty,safe,launchpad-curve
      pools array of rugProfile -
      launchCurve? launchCurve -
      note? string -`,
  },
  '/v1/rh/crews': {
    ...{ usd: 0.02, maxAgeSec: 120, asOfHours: 96 },
    params: `minBursts number 3..50 =3
      limit number 1..25 =25`,
    answer: `${envelopes.chainA}
      walletsTracked integer|null -
      crews array of crew -`,
  },
  '/v1/rh/token/{addr}/verdict': {
    ...{ usd: 0.03, maxAgeSec: 180, asOfHours: 48 },
    params: 'addr string ^0x[0-9a-fA-F]{40}$',
    answer: `${envelopes.bare}
      verdict string - avoid,caution,ok
      reasons array of verdictReason -
      rug rhVerdictRug|null -
      precall rhVerdictPrecall|null -
      desk rhVerdictDesk -
      tokenAgeMin number -
      rules array of verdictReason -`,
  },
  '/v1/sol/bursts/live': {
    ...{ usd: 0.01, maxAgeSec: 120, asOfHours: 24 },
    params: 'minutes number 1..240 =60',
    answer: `${envelopes.chainB}
      bursts array of solBurst -
      note? string -
      latest? solBurst|null -`,
  },
  '/v1/sol/bursts/history': {
    ...{ usd: 0.02, maxAgeSec: 120, asOfHours: 24 },
    params: 'hours number 1..24 =24',
    answer: `${envelopes.chainB}
      bursts array of solBurst -`,
  },
  '/v1/sol/grads/live': {
    ...{ usd: 0.01, maxAgeSec: 120, asOfHours: 48 },
    params: 'minutes number 1..240 =60',
    answer: `${envelopes.bare}
      grads array of solGrad -
      minutes any -
      method object -`,
  },
  '/v1/sol/grads/history': {
    ...{ usd: 0.02, maxAgeSec: 120, asOfHours: 48 },
    // The names of the parameters are our choice, because the specification shows none.
    params: `hours number 1..48 =24
      limit number 1..2000 =500`,
    answer: `${envelopes.bare}
      hours any -
      method object -
      grads array of solGrad -
      stats solGradStats -`,
  },
  '/v1/sol/wallets/leaders': {
    ...{ usd: 0.05, maxAgeSec: 10_800, asOfHours: 473 },
    params: 'limit number 1..50 =50',
    answer: `${envelopes.bare}
      ${leaderMethod}
      wallets array of walletLeader -`,
  },
  '/v1/sol/wallets/{addr}/copy-stats': {
    ...{ usd: 0.01, maxAgeSec: 10_800, asOfHours: 336, params: 'addr string ^[1-9A-HJ-NP-Za-km-z]{32,44}$' },
    // The names of the fields are our choice, because the specification describes the answer only in words.
    answer: `${envelopes.bare}
      wallet string -
      buys array of copyBuy -
      summary copySummary -`,
  },
  '/v1/sol/token/{mint}/verdict': {
    ...{ usd: 0.02, maxAgeSec: 180, asOfHours: 48 },
    params: 'mint string ^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    answer: `${envelopes.bare}
      safety solSafety -
      scouts solScouts -
      scanner scannerFields|null -
      trader solTrader -
      shadows array of deskShadow signal+30m
      lastTrade deskLastTrade|null signal+30m`,
  },
  '/v1/sol/calls/live': {
    ...{ usd: 0.02, maxAgeSec: 120, asOfHours: 2 },
    params: `minutes number 1..120 =30
      chain string chainA,chainB`,
    answer: `${envelopes.bare}
      calls array of liveCall -
      minutes integer -
      method object -
      note string -`,
  },
  '/v1/sol/calls/outcomes': {
    ...{ usd: 0.05, maxAgeSec: 10_800, asOfHours: 48 },
    params: `hours number 1..48 =48
      chain string chainA,chainB
      limit number 1..2000 =500`,
    answer: `${envelopes.bare}
      calls array of callOutcome -
      hours integer -
      method object -`,
  },
  '/v1/sol/callers/leaderboard': {
    ...{ usd: 0.05, maxAgeSec: 10_800, asOfHours: 642 },
    params: `window string 24h,7d,30d =7d
      sort string win35,x2,hit15,rug,n,ret15 =win35
      limit number 1..200 =50`,
    answer: `${envelopes.bare}
      rows array of callerRow -
      window string -
      sort string -
      calls integer -
      callers integer -
      pooled object -
      pooled.hit15 number|null -
      pooled.win35 number|null -
      pooled.x2 number|null -
      pooled.rug number|null -
      pooled.ret1 number|null -
      pooled.ret5 number|null -
      pooled.ret15 number|null -
      pooled.ret60 number|null -
      pooled.mfe number|null -
      pooled.mae number|null -
      method object -
      method.unit string -
      method.hit15 string -
      method.win35 string -
      method.x2 string -
      method.rug string -
      method.shrink object -
      method.shrink.k number -
      method.shrink.toward any -
      method.minN integer -
      method.lateAnchorsExcluded integer -
      method.privacy string -`,
  },
  '/v1/scanner/{mint}': {
    ...{
      usd: 0.01,
      maxAgeSec: 180,
      asOfHours: 48,
      params: 'mint string ^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$',
    },
    answer: `${envelopes.bare}
      grade string - A,B,C,D,F
      score number -
      fields object -
      fields.top10Pct number - 0..1
      fields.topHolder1Pct number - 0..1
      fields.snipers number -
      fields.sniperPct number - 0..1
      fields.bundlers number -
      fields.bundlePct number - 0..1
      fields.devLeftPct number - 0..1
      fields.fresh1d number - 0..1
      fields.fresh7d number - 0..1
      fields.holders integer -
      penalties array of object -
      penalties[].field string -
      penalties[].value number -
      penalties[].limit number -
      penalties[].points number -
      gradeRules object -
      gradeRules.bands array of object -
      gradeRules.bands[].grade string -
      gradeRules.bands[].minScore number -
      gradeRules.rules array of object -
      gradeRules.rules[].field string -
      gradeRules.rules[].limit number -
      gradeRules.rules[].points number -`,
  },
  '/v1/rh/token/{addr}/precall': {
    ...{ usd: 0.02, maxAgeSec: 180, asOfHours: 48, params: 'addr string ^0x[0-9a-fA-F]{40}$' },
    answer: `${envelopes.bare}
      postedAt integer signal
      tracked boolean signal
      buys integer signal
      buyEth number signal
      sameBlockMaxTx integer signal
      run60 number signal
      ageAtCallMin number signal
      chg1h0? number signal
      wallets integer|null signal+seconds
      sameBlockWallets integer signal+seconds
      walletList array of string signal+seconds
      flags array of string signal+seconds`,
  },
  '/v1/snapshot': {
    ...{ usd: 0.03, maxAgeSec: 120, asOfHours: 24 },
    params: 'minutes number 1..240 =60',
    answer: `${envelopes.snapshot}
      windowMin integer -
      chainA object -
      chainA.ethUsd number -
      chainA.bursts array of rhBurst -
      chainA.newPools array of pool -
      chainA.last24h rhLast24h -
      chainB object -
      chainB.solUsd number -
      chainB.bursts array of solBurst -
      chainB.last24h solLast24h -`,
  },
  '/v1/desk/trades': {
    ...{ usd: 0.01, maxAgeSec: 600, asOfHours: 791 },
    params: `since string ^(\\d{1,16}|\\d{4}-\\d\\d-\\d\\d(T\\S+)?)$
      book string main,explore,all =all
      limit number 1..3000 =500`,
    // The names of the fields are our choice, because the specification does not show the fields.
    answer: `
      schemaVersion integer - 1
      generatedAt integer -
      ageSec integer -
      book string -
      mode string - paper
      since integer -
      method object -
      trades array of deskTrade -`,
  },
  '/v1/stream/pass': {
    usd: 0.5,
    params: 'minutes number 1..60 =60',
    // The names of the fields are our choice, because the specification does not show the body.
    answer: `
      schemaVersion integer - 1
      token string -
      types array of string -
      stream string -
      minutes integer -
      issuedAt integer -
      expiresAt integer -
      maxConcurrentPerPass integer - 2`,
  },
}

export const free: Readonly<Record<string, string>> = {
  '/v1/sample': `
    generatedAt integer -
    delayedMin integer - 15`,
  '/v1/health': 'dataAgeSec integer|null -',
  '/v1/stats': `
    service string -
    note string -
    generatedAt integer -
    currency string -
    totals object -
    totals.n integer -
    totals.usd number -
    days array of object -
    days[].day string -
    days[].n integer -
    days[].usd number -
    days[].routes map of object -
    days[].routes.n integer -
    days[].routes.usd number -
    payFailures array of object -`,
  '/': `
    service string -
    about string -
    payments object -
    endpoints array of object -
    endpoints[].route string -
    endpoints[].price number -
    endpoints[].description string -
    endpoints[].params array of object -
    free array of string -
    data object -
    data.generatedAt integer|null -
    data.ageSec integer|null -
    data.bursts24h integer -
    data.poolsTracked integer -`,
}

/** The errors in section 7 of the specification: status and code. */
export const errors: readonly (readonly [number, string])[] = [
  [400, 'bad_address'],
  [400, 'bad_param'],
  [503, 'warming_up'],
  [503, 'data_stale'],
  [503, 'payments_not_live'],
  [503, 'stream_disabled'],
]
