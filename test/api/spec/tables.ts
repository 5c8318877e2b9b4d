/**
 * Every object of the specification, field by field. A line is `name type class bounds`.
 * - `?` after a name: the field is not in every answer.
 * - `|null` after a type: the value can be null.
 * - The class says when the value is known, for example `now`.
 * - `-` in place of the class: the specification does not say this.
 * - Bounds are `0..1` or a list of values.
 * Objects of future routes are listed too.
 */

export const envelopes = {
  chainA: `
    chain string -
    schemaVersion integer - 1
    generatedAt integer -
    ageSec integer -
    ethUsd number -
    rules object -
    rules.main string -
    rules.lite string -
    rules.refire string -
    rules.old string -
    rules.outcome string -`,
  chainB: `
    chain string -
    schemaVersion integer - 1
    generatedAt integer -
    ageSec integer -
    solUsd number -
    rule string -`,
  bare: `
    chain string -
    schemaVersion integer - 1
    generatedAt integer -
    ageSec integer -`,
  snapshot: `
    schemaVersion integer - 1
    generatedAt integer -
    ageSec integer -`,
} as const

const profileShares = `
    insiderShare number now 0..1
    burnedShare number now 0..1
    contractShare number now 0..1
    otherShare number now 0..1
    unknownShare number now 0..1`

export const objects: Readonly<Record<string, string>> = {
  rhBurst: `
    id string signal
    at integer signal
    token string signal
    pool string signal
    tier string signal main,lite,refire,old
    dex string signal v4,v3
    shape string signal scripted,spread,other,v3
    inflowEth number signal
    buys integer signal
    sells integer signal
    windowSec integer signal
    poolAgeMin number signal
    sameSizeMax integer signal
    top3Share number signal 0..1
    sizeCV number signal
    buyers integer|null signal+seconds
    repeatBuyers integer|null signal+seconds
    lp rhLp|null signal+seconds
    outcome rhOutcome signal+30m`,
  rhLp: `
    class string signal+seconds held,safe,unknown
    insiderShare number signal+seconds 0..1
    burnedShare number signal+seconds 0..1
    contractShare number signal+seconds 0..1
    otherShare number signal+seconds 0..1
    unknownShare number signal+seconds 0..1
    lpAgeMin number signal+seconds
    estimated boolean signal+seconds`,
  rhOutcome: `
    scored boolean signal+30m
    scoredAt? integer|null signal+30m
    ret30m? number signal+30m
    peakRet? number signal+30m
    ruleRet? number signal+30m
    byRule? map of object signal+30m
    byRule.ret number signal+30m
    byRule.why string signal+30m
    byRule.sec integer|null signal+30m
    rug? object|null signal+30m
    rug.atSec integer signal+30m
    rug.lpRemoved number signal+30m`,
  solBurst: `
    id string signal
    at integer signal
    mint string signal
    inflowSol number signal
    windowSec integer signal
    curveFrom number signal 0..1
    curveAt number signal 0..1
    tokenAgeMin number signal
    anatomy solAnatomy|null signal+seconds
    outcome solOutcome signal+30m`,
  solAnatomy: `
    buys integer signal+seconds
    buyers integer signal+seconds
    sameSlotMax integer signal+seconds
    bundledShare number signal+seconds 0..1
    sameSizeMax integer signal+seconds
    top3Share number signal+seconds 0..1
    holdersTop10 number signal+seconds 0..1
    holderTop1 number signal+seconds 0..1
    repeatBuyers integer signal+seconds`,
  solOutcome: `
    scored boolean signal+30m
    scoredAt? integer|null signal+30m
    graduated? boolean signal+30m
    gradMin? number|null signal+30m
    peakRet? number signal+30m
    gradRet? number|null signal+30m
    ret20m? number|null signal+30m
    ruleRet? number signal+30m
    nonStandardCurve? boolean signal+30m
    byRule? map of object signal+30m
    byRule.ret number signal+30m
    byRule.why string signal+30m
    byRule.sec integer|null signal+30m`,
  pool: `
    id string now
    dex string now v4,v3
    token string now
    createdBlock integer now
    ageMin number now
    lastPx number now
    liqEth number now
    lastSwapAt integer now
    net60m number now
    buys60m integer now
    sells60m integer now
    fired array of string now`,
  poolFlow: `
    id string now
    dex string now v4,v3
    token string now
    createdBlock integer now
    ageMin number now
    lastPx number now
    liqEth number now
    lastSwapAt integer now
    net60m number now
    buys60m integer now
    sells60m integer now
    fired array of string now
    mins array of array of number now
    minCols array of string now`,
  rugProfile: `
    pool string now
    token string now
    dex string now v4
    poolAgeMin number now
    checkedAt integer now
    block integer now
    class string now held,safe,unknown,empty
    ${profileShares}
    lpAgeMin number now
    lpAdds integer now
    creator string now`,
  launchCurve: `
    curve string now
    graduated boolean now
    symbol string|null now
    creator string|null now
    launchBlock integer|null now
    ageMin number|null now
    gradBlock integer|null now
    thresholdEth number|null now
    ethInCurve number|null now
    progress number|null now 0..1
    mcapUsd number|null now
    feeBps integer|null now
    readBlock integer|null now
    checkedAt integer|null now`,
  walletLeader: `
    rank integer now
    wallet string now
    n integer now
    evShrunk number now
    evRaw number now
    winShare number now
    shadowed integer now
    shadowHit number now
    lastBuyAt integer now
    sells leaderSells|null now`,
  leaderSells: `
    observed any -
    sold any -
    soldShare any -
    medSoldSec any -
    medSellGain any -
    soldWithin60sShare any -`,
  crew: `
    wallet string -
    bursts integer -
    lastSeenAt integer -
    lastSeenMinAgo integer -`,
  callerRow: `
    rank integer -
    callerId string -
    chatId string -
    chat string|null -
    n integer -
    hit15 number|null -
    win35 number|null -
    x2 number|null -
    rug number|null -
    median object -
    median.ret1 number|null -
    median.ret5 number|null -
    median.ret15 number|null -
    median.ret60 number|null -
    median.mfe number|null -
    median.mae number|null -
    raw object -
    raw.hit15 number|null -
    raw.win35 number|null -
    raw.x2 number|null -
    raw.rug number|null -
    raw.ret1 number|null -
    raw.ret5 number|null -
    raw.ret15 number|null -
    raw.ret60 number|null -
    raw.mfe number|null -
    raw.mae number|null -
    lastCallAt integer -`,
  callOutcome: `
    callId string -
    chain string -
    mint string -
    calledAt integer -
    ageH number|null -
    done boolean -
    callers array of string -
    chatIds array of string -
    chats array of string -
    nChats integer -
    nPrivateChats integer -
    ret1h number|null -
    ret4h number|null -
    ret12h number|null -
    ret24h number|null -
    ret48h number|null -
    maxRet number|null -
    maxAtH number|null -
    dipBeforeMax number|null -
    dead boolean -
    recalls integer -`,
  liveCall: `
    mint string -
    firstSeenAt integer -
    nChats integer -
    chain? any -
    minAgo number|null -
    nPublicChats any -
    nPrivateChats any -
    chats array of object -
    chats[].chat string -
    chats[].chatId string -
    chats[].firstAt integer -
    chats[].posts integer -
    chats[].callers array of string -
    nPosts any -
    nPrivatePosts any -
    atCall object|null -
    atCall.t integer -
    atCall.px number|null -
    atCall.mcapUsd number|null -
    atCall.pxSrc string -
    moveSince number|null -
    maxSince number|null -
    lastSampleAt integer|null -
    stage string|null -
    triggered string|null -`,
  solGrad: `
    mint string -
    gradAt integer -
    source string -
    gradMin number|null -
    path array of any -
    burst object|null -
    post solGradPost|null -`,
  solGradPost: `
    anchorSecAfterGrad integer -
    ret1 number|null -
    ret5 number|null -
    ret15 number|null -`,
  rhLast24h: `
    bursts any -
    scored any -
    medianRet30m any -
    medianRuleRet any -
    rugCheck any -`,
  rhDayRugCheck: `
    checked any -
    held any -
    heldPct any -
    heldScored any -
    heldPulled any -
    heldPulledPct any -
    safe any -
    safeScored any -
    safePulled any -`,
  // The names are our choice, because the specification describes these objects only in words.
  verdictReason: `
    rule string -
    level string - avoid,caution
    text string -`,
  rhVerdictRug: `
    class? string now held,safe,unknown,empty
    insiderShare? number now 0..1
    pools? integer now
    checkedAt? integer now
    progress? number now 0..1
    ethInCurve? number now
    creator? string|null now`,
  rhVerdictPrecall: `
    postedAt integer signal
    tracked boolean signal
    flags array of string signal+seconds
    buys integer signal
    buyEth number signal
    run60 number signal
    ageAtCallMin number signal
    wallets integer|null signal+seconds
    sameBlockWallets integer signal+seconds`,
  rhVerdictDesk: `
    lastTrade deskLastTrade|null -
    firstShadow deskShadow|null -`,
  deskLastTrade: `
    book string signal+30m main,explore
    mode string signal+30m
    retPct number signal+30m
    exit string signal+30m`,
  deskShadow: `
    ret1 number|null signal+30m
    ret5 number|null signal+30m
    ret15 number|null signal+30m
    ret60 number|null signal+30m
    mfe number signal+30m
    mae number signal+30m`,
  solSafety: `
    pass boolean|null -
    fails array of string -
    asked string|null - burst,call,graduation
    provider string|null -
    checkedAt integer|null -
    score number|null -
    lpLockedShare number|null - 0..1
    mintAuthority string|null -
    freezeAuthority string|null -
    topHolderShare number|null - 0..1`,
  solScouts: `
    flow number|null - 0..1
    curve number|null - 0..1
    holders number|null - 0..1
    callers number|null - 0..1
    composite number|null - 0..1`,
  solTrader: `
    action string - enter,pass
    conviction number|null - 0..1`,
  scannerFields: `
    mint string -
    grade string - A,B,C,D,F
    score number -
    fields object -
    fields.top10Pct number|null -
    fields.topHolder1Pct number|null -
    fields.snipers integer|null -
    fields.sniperPct number|null -
    fields.bundlers integer|null -
    fields.bundlePct number|null -
    fields.devLeftPct number|null -
    fields.fresh1d number|null -
    fields.fresh7d number|null -
    fields.holders integer|null -
    penalties array of object -
    penalties[].field string -
    penalties[].value number -
    penalties[].limit number -
    penalties[].points number -`,
  solGradStats: `
    n integer -
    medianGradMin number|null -
    afterBurst integer -
    afterBurstShare number|null - 0..1
    medianRet1 number|null -
    medianRet5 number|null -
    medianRet15 number|null -
    upShare15 number|null - 0..1`,
  copyBuy: `
    buyId string -
    at integer -
    mint string -
    leaderSol number -
    curveAt number - 0..1
    tokenAgeMin number|null -
    otherLeaders integer|null -
    quoteDrift number|null -
    fillSlip number|null -
    leaderNext object|null -
    path60m array of [integer, number]|null -
    ret number|null -
    exit string|null -`,
  copySummary: `
    buys integer -
    rank integer|null -
    n integer -
    evShrunk number -
    evRaw number|null -
    winShare number|null - 0..1
    shadowed integer -
    shadowHit number|null - 0..1
    sells leaderSells|null -`,
  deskTrade: `
    id string signal+30m
    book string signal+30m main,explore
    mode string signal+30m paper
    desk string signal+30m
    lane string signal+30m
    chain string signal+30m
    token string signal+30m
    openedAt integer signal+30m
    closedAt integer signal+30m
    ret number signal+30m
    peakRet number signal+30m
    exit string signal+30m stop,take-profit,trail,time,rug,graduated`,
  solLast24h: `
    bursts integer -
    scored integer -
    graduated integer -`,
}
