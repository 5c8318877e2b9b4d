import { expect } from 'chai'
import { addressesOfCallback, addressesOfLink } from '../../../../ingest/mentions/addresses/read-link.ts'
import { evmOf, mintOf } from '../build-post.ts'

const mint = mintOf(1)
const other = mintOf(2)
const evm = evmOf(1)
const poolId = `0x${'9f'.repeat(32)}`

/**
 * Links of each host, with the kind of address that they name. The last value is the network, or null if the
 * link does not name it.
 */
const shapes: readonly Readonly<[string, string, string | null]>[] = [
  [`https://pump.fun/${mint}`, 'token', null],
  [`https://pump.fun/coin/${mint}`, 'token', null],
  [`https://www.pump.fun/coin/${mint}?ref=x#top`, 'token', null],
  [`https://dexscreener.com/solana/${mint}`, 'either', 'solana'],
  [`https://dexscreener.com/robinhood/${evm}`, 'either', 'robinhood'],
  [`https://dexscreener.com/ethereum/${evm}`, 'either', 'ethereum'],
  [`https://dexscreener.com/hyperevm/${evm}`, 'either', 'hyperevm'],
  [`https://dexscreener.com/robinhood/${poolId}`, 'market', 'robinhood'],
  [`https://www.geckoterminal.com/solana/tokens/${mint}`, 'token', 'solana'],
  [`https://www.geckoterminal.com/eth/pools/${evm}`, 'market', 'ethereum'],
  [`https://birdeye.so/token/${mint}?chain=solana`, 'token', 'solana'],
  [`https://birdeye.so/solana/token/${mint}`, 'token', 'solana'],
  [`https://solscan.io/token/${mint}`, 'token', null],
  [`https://gmgn.ai/sol/token/${mint}`, 'token', 'solana'],
  [`https://gmgn.ai/sol/token/LbosYDck_${mint}`, 'token', 'solana'],
  [`https://gmgn.ai/robinhood/token/${evm}`, 'token', 'robinhood'],
  [`https://photon-sol.tinyastro.io/en/lp/${mint}`, 'either', null],
  [`https://photon-sol.tinyastro.io/en/r/@RickBurpBot/${mint}`, 'token', null],
  [`https://bullx.io/terminal?chainId=1399811149&address=${mint}&r=M7B0AY33YBS`, 'token', 'solana'],
  [`https://neo.bullx.io/terminal?chainId=8453&address=${evm}`, 'token', 'base'],
  [`https://axiom.trade/meme/${mint}`, 'market', null],
  [`https://axiom.trade/t/${mint}/@ref`, 'token', null],
  [`https://www.defined.fi/sol/${mint}`, 'token', 'solana'],
  [`https://mevx.io/solana/${mint}?ref=abc`, 'token', 'solana'],
  [`https://soulterminal.ai/token/${mint}`, 'token', null],
  [`https://x.com/search?q=${mint}`, 'token', null],
  [`https://twitter.com/search?q=%24CAT%20OR%20${mint}&f=live`, 'token', null],
  [`https://t.me/RickBurpBot?start=${mint}`, 'token', null],
  [`https://t.me/RickBurpBot?start=pf_${mint}`, 'token', null],
  [`https://t.me/RickBurpBot?start=${evm}`, 'either', null],
  [`https://t.me/rick?start=nh_${evm}`, 'token', null],
  [`https://t.me/RickBurpBot?start=soc-${mint}`, 'token', null],
  [`https://t.me/RickBurpBot/bmapp?startapp=${mint}_solana_alt`, 'token', 'solana'],
  [`https://t.me/phanes_bot?start=price_${mint}`, 'token', null],
  [`https://t.me/phanes_bot?start=th_${mint}`, 'token', null],
  [`https://telegram.me/soul_scanner_bot?start=fakevol_${mint}`, 'token', null],
  [`https://telegram.me/Soul_Sniper_Bot?start=15_etb_${mint}`, 'token', null],
  [`https://t.me/Soul_Sniper_Bot?start=ett_track_${mint}`, 'token', null],
  [`https://t.me/paris_trojanbot?start=d-RickBot-${mint}`, 'token', null],
  [`https://t.me/furiosa_bonkbot?start=ref_abc12_ca_${mint}`, 'token', null],
  [`https://t.me/SolTradingBot?start=${mint}-abc12`, 'token', null],
  [`https://t.me/BananaGunSniper_bot?start=snp_BASE_${evm}`, 'token', 'base'],
  [`https://t.me/GMGN_sol03_bot?start=i_abc12_c_${mint}`, 'token', null],
  [`https://t.me/AveSniperBot?start=solana-${mint}-ref_abc`, 'token', 'solana'],
  [`https://t.me/ShurikenTradeBot?start=qt-abc-${mint}`, 'token', null],
  [`https://t.me/based_eth_bot?start=${evm}`, 'token', null],
  [`tg://resolve?domain=phanes_bot&start=pf_${mint}`, 'token', null],
  [`https://explorer.example/token/${evm}`, 'token', null],
  [`dexscreener.com/solana/${mint}`, 'either', 'solana'],
]

const wallets: readonly string[] = [
  `https://pump.fun/profile/${mint}`,
  `https://solscan.io/account/${mint}`,
  `https://solscan.io/tx/${mint}`,
  `https://www.defined.fi/wallet/${mint}?utm_source=phanes`,
  `https://t.me/phanes_bot?start=pfdev_${mint}`,
  `https://t.me/phanes_bot?start=call_${mint}_77_1`,
  `https://t.me/RickBurpBot?start=twit-${mint}`,
  `https://explorer.example/address/${evm}`,
  `https://x.com/${mint}`,
  'https://t.me/calls/123',
  'https://pump.fun/',
  'https://',
  'no link at all',
  `https://pump.fun/coin/${mint.slice(1)}`,
  `https://pump.fun/${mint}?${'a'.repeat(2_048)}`,
]

describe('a link', () => {
  for (const [link, kind, network] of shapes)
    it(`names its address as ${kind}${network === null ? '' : ` on ${network}`}: ${link.slice(0, 60)}`, () => {
      const found = addressesOfLink(link)
      expect(found.map((address) => [address.kind, address.network])).to.deep.equal([[kind, network]])
      expect(found[0]?.address).to.be.oneOf([mint, evm, poolId])
    })

  for (const link of wallets)
    it(`names no token: ${link.slice(0, 60)}`, () => {
      expect(addressesOfLink(link)).to.deep.equal([])
    })

  it('may name several in a search', () => {
    const found = addressesOfLink(`https://x.com/search?q=${mint}%20OR%20${other}`)
    expect(found.map(({ address }) => address)).to.deep.equal([mint, other])
  })
})

describe('the data of a button', () => {
  it('names the addresses in it', () => {
    expect(addressesOfCallback(`refr:1735659838:${mint}:1:0`).map(({ address }) => address)).to.deep.equal([mint])
  })

  it('names no wallet', () => {
    expect(addressesOfCallback(`wallet:${mint}`)).to.deep.equal([])
    expect(addressesOfCallback(`pfdev_${mint}`)).to.deep.equal([])
  })
})
