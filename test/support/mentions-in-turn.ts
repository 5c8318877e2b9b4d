/**
 * Runs the program that finds tokens in chat posts, in turns that the test starts. In each turn, the program
 * reads everything that is in the log.
 */

import type { SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { createLogger } from '../../infra/telemetry.ts'
import { chainANaming } from '../../ingest/chain-a/naming.ts'
import { chainBNaming } from '../../ingest/chain-b/naming.ts'
import { createIngestCodecs, type IngestCodecs } from '../../ingest/codecs.ts'
import type { CodeReader } from '../../ingest/mentions/codes.ts'
import type { TokenNaming } from '../../ingest/mentions/naming.ts'
import { type MentionedChain, runMentions } from '../../ingest/mentions/run-mentions.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { type ChatTypes, chatsStage } from '../../schemas/chats/stage.ts'
import type { Stage } from '../../schemas/stage.ts'
import { createTurns, type Turns } from './turns.ts'

export type MentionsInTurn = Readonly<{
  turns: Turns
  /** Runs until the signal aborts. */
  run(): Promise<void>
}>

type Opening = Readonly<{
  log: Log
  registry: SchemaRegistry
  nowMs: () => number
  signal: AbortSignal
  /** Reads contract code of chain A. If absent, nothing reads contract code. */
  readCode?: CodeReader | undefined
  /**
   * The maximum number of tokens per chain whose trades are recorded for a longer time because a post named
   * the token.
   */
  followedTokensMax?: number
}>

export async function openMentions({ log, registry, nowMs, signal, ...its }: Opening): Promise<MentionsInTurn> {
  const turns = createTurns()
  const mentionedChain = async (stage: Stage, naming: TokenNaming): Promise<MentionedChain> => {
    const { facts: codec } = await createIngestCodecs(stage, registry)
    return { name: stage.name, topic: stage.factTopic, codec, naming }
  }
  const chains = [
    {
      ...(await mentionedChain(chainAStage as unknown as Stage, chainANaming('robinhood') as TokenNaming)),
      ...(its.readCode && { readCode: its.readCode }),
    },
    await mentionedChain(chainBStage as unknown as Stage, chainBNaming as TokenNaming),
  ]
  const { facts, addresses }: IngestCodecs<ChatTypes> = await createIngestCodecs(chatsStage, registry)
  const topic = chatsStage.factTopic
  const turning: Log = {
    ...log,
    waitForAppend: (from, abort) => (from.topic === topic.name ? turns.wait(abort) : log.waitForAppend(from, abort)),
  }
  const run = async () => {
    const posts = { topic, codec: facts }
    await runMentions({
      ...(its.followedTokensMax && { followedTokensMax: its.followedTokensMax }),
      ...{ log: turning, posts, chains, addresses, nowMs, signal, logger: createLogger('mentions', 'silent') },
      delay: (_, abort) => turns.wait(abort),
    })
    turns.leave()
  }
  return { turns, run }
}
