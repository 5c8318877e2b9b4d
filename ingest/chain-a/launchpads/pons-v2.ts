/**
 * The Pons V2 launchpad, which deploys one curve contract per token. Curves that trade against assets other
 * than ETH are ignored. Trading on a curve stops when it is complete. Then anybody may call the factory. This
 * call moves the liquidity into a v4 pool and sends the position NFT to a locker.
 */

import type { Address } from '../../../schemas/units.ts'
import { addressOf, type RawLog, wordsOf, wordText } from '../decode/log-words.ts'
import type { Launchpad, LaunchpadEvent } from './launchpad.ts'
import { identifyPonsCurve, readPonsReserveWei, readPonsTerms } from './pons-v2-calls.ts'

/**
 * The topic 0 of the events that we read, as the deployed contracts emit them. Some events differ from the published source. A test
 * computes the hashes again.
 */
export const ponsTopics = {
  tokenLaunched: '0x8d4aad4953d0ca700d468f3753aa14432d1b35b43ec6409f051fb6aa43a89607',
  poolGraduated: '0x0a44ef75df69c534f43cd6c1aa3ef8983065fe5fe79ef9e79f6494e6f258c259',
  curveBuy: '0xec36bf571f136799e8dc0b0b8bea4b04d8bd3d43de838aab0d5fc21d4cbfc455',
  curveSell: '0x8113d738abdcb6b38357e9d53a54a7157861a09031b453651f0fe7fe151f59df',
  curveCompleted: '0xf8d37a90738ae063b8b8058b66f5880cf3cf7ab0c5d4fa78219696591dfbfb67',
} as const

export function createPonsV2(factory: Address): Launchpad {
  const { tokenLaunched, poolGraduated, curveBuy, curveSell, curveCompleted } = ponsTopics
  return {
    name: 'pons-v2',
    factory,
    factoryTopics: [tokenLaunched, poolGraduated],
    curveTopics: [curveBuy, curveSell, curveCompleted],
    decode,
    readTerms: readPonsTerms,
    identify: (call, curve) => identifyPonsCurve(call, { factory, curve }),
    readReserveWei: readPonsReserveWei,
  }
}

function decode(log: RawLog): LaunchpadEvent | 'ignored' | 'malformed' {
  switch (log.topics[0]) {
    case ponsTopics.tokenLaunched:
      return decodeLaunch(log)
    case ponsTopics.poolGraduated:
      return decodeGraduation(log)
    case ponsTopics.curveBuy:
      return decodeTrade(log, true)
    case ponsTopics.curveSell:
      return decodeTrade(log, false)
    case ponsTopics.curveCompleted:
      return wordsOf(log, { topicCount: 1, dataCount: 3 }) ? { kind: 'completed' } : 'malformed'
    default:
      return 'ignored'
  }
}

/**
 * Decodes the log of a launch. Its topics are token, curve and deployer. Its data are the pair token (zero
 * means ETH), the number of the launch's terms, and the threshold.
 */
function decodeLaunch(log: RawLog): LaunchpadEvent | 'ignored' | 'malformed' {
  const words = wordsOf(log, { topicCount: 4, dataCount: 3 })
  if (!words) return 'malformed'
  const [token, curve, creator] = words.topics.slice(1).map(addressOf)
  if (!token || !curve || !creator) return 'malformed'
  const [pairToken, , graduationWei = 0n] = words.data
  return pairToken === 0n ? { kind: 'launched', token, curve, creator, graduationWei } : 'ignored'
}

function decodeGraduation(log: RawLog): LaunchpadEvent | 'malformed' {
  const words = wordsOf(log, { topicCount: 2, dataCount: 3 })
  const token = words && addressOf(words.topics[1] ?? 0n)
  return token ? { kind: 'graduated', token, positionId: wordText(words.data[0] ?? 0n) } : 'malformed'
}

/**
 * Decodes the log of a buy or sell. Its topics are the caller (often a router) and the recipient. The data of
 * a buy are quoteIn including fees, tokensOut, fee and tax. The data of a sell are tokensIn, quoteOut after
 * fees, fee and tax.
 */
function decodeTrade(log: RawLog, isBuy: boolean): LaunchpadEvent | 'malformed' {
  const words = wordsOf(log, { topicCount: 3, dataCount: 4 })
  const trader = words && addressOf(words.topics[2] ?? 0n)
  if (!trader) return 'malformed'
  const [paidIn = 0n, paidOut = 0n, feeWei = 0n, taxWei = 0n] = words.data
  const [ethWei, tokenRaw] = isBuy ? [paidIn, paidOut] : [-paidOut, -paidIn]
  return { kind: 'traded', trader, ethWei, tokenRaw, feeWei, taxWei }
}
