/** A facilitator or node whose answers are endless, huge, nonsense or redirects. */
import type { ServerResponse } from 'node:http'
import { sendText, startPlainServer } from '../../../support/sockets/plain-server.ts'
import { type Bought, openShop } from '../open-shop.ts'
import { type Hostility, network, startHostileFacilitator } from './hostile-facilitator.ts'

const megabyte = 1_048_576

/**
 * The largest allowed growth of memory, in megabytes. A purchase takes about 30 MB in a new process. Without
 * a limit on what is read, the mildest of these answers took 600 MB.
 */
export const grownMbMax = 200

const at =
  (path: string, answer: (response: ServerResponse) => unknown): Hostility =>
  (request, response) => {
    if (request.url !== path) return false
    void answer(response)
    return true
  }

const settledAs = (transaction: string) =>
  at('/settle', (response) => response.end(JSON.stringify({ success: true, transaction, network })))

/** `elsewhere` is the address of another server. */
export const hostilities: Readonly<Record<string, (elsewhere: string) => Hostility>> = {
  '200 MB at verify': () => at('/verify', (response) => sendText(response, 200 * megabyte)),
  'an endless answer at verify': () => at('/verify', (response) => sendText(response)),
  'an endless answer to the settlement': () => at('/settle', (response) => sendText(response)),
  'a transaction of 1 MB': () => settledAs('a'.repeat(megabyte)),
  'a header for a transaction': () => settledAs('aa\r\nX-Evil: 1'),
  'a redirect at verify': (elsewhere) =>
    at('/verify', (response) => response.writeHead(307, { location: `${elsewhere}/verify` }).end()),
}

export type Damage = Readonly<{
  bought: Bought | string
  /** The largest growth of the shop's memory, in megabytes. */
  grownMb: number
  sentMb: number
  /** The number of requests to the other server. */
  heardElsewhere: number
}>

/** Makes one purchase with such a facilitator. The node's answers are endless too. */
export async function sufferFrom(hostilityOf: (elsewhere: string) => Hostility): Promise<Damage> {
  let heardElsewhere = 0
  const elsewhere = await startPlainServer((_, response) => {
    heardElsewhere += 1
    response.end('{"isValid":true}')
  })
  const sent: ServerResponse[] = []
  const hostility = hostilityOf(elsewhere.url)
  const facilitator = await startHostileFacilitator((request, response) => {
    sent.push(response)
    return hostility(request, response)
  })
  let sentByNode = 0
  const node = await startPlainServer(async (_, response) => {
    sentByNode += await sendText(response)
  })
  const shop = await openShop({ facilitatorUrl: facilitator.url, rpcUrl: node.url })
  try {
    const [payment = ''] = await shop.sign(1)
    const before = shop.peakMb()
    const bought = await shop.buy(payment).catch((error: Error) => `${error.message}: ${error.cause}`)
    const grownMb = shop.peakMb() - before
    const sentMb = Math.round(
      sent.reduce((sum, { socket, req }) => sum + (socket ?? req.socket).bytesWritten, sentByNode) / megabyte,
    )
    return { bought, grownMb, sentMb, heardElsewhere }
  } finally {
    await shop.stop()
    for (const server of [facilitator, elsewhere, node]) await server.stop()
  }
}

/**
 * Runs all cases. Returns false if the memory grew too much, the other server got a request, or a purchase
 * had no answer.
 */
export async function attackByEndlessFacilitator(): Promise<boolean> {
  let isUnhurt = true
  for (const [name, hostilityOf] of Object.entries(hostilities)) {
    const { bought, grownMb, sentMb, heardElsewhere } = await sufferFrom(hostilityOf)
    const end = typeof bought === 'string' ? bought : `${bought.status}, transaction ${shown(bought.transaction)}`
    isUnhurt &&= typeof bought !== 'string' && grownMb < grownMbMax && heardElsewhere === 0
    console.log(`${name}: ${end}; memory +${grownMb} MB, read ${sentMb} MB, the other server heard ${heardElsewhere}`)
  }
  return isUnhurt
}

const shown = (transaction: string | null): string =>
  transaction === null || transaction.length < 20 ? JSON.stringify(transaction) : `of ${transaction.length} characters`
