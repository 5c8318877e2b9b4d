/** Both chains, with only those parts that the API's stream of new rows needs. */
import { createStreamPart as createChainAPart } from '../../api/chain-a/stream-part.ts'
import { createStreamPart as createChainBPart } from '../../api/chain-b/stream-part.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'

const ruleIdSecret = 'a secret of the test'
const callerIdSecret = 'another secret of the test'

export const pushedChains = [
  {
    stage: chainAStage,
    stream: createChainAPart({ chainName: 'chainA', launchpadKey: 'launchCurve', ruleIdSecret, callerIdSecret }),
  },
  { stage: chainBStage, stream: createChainBPart({ chainName: 'chainB', ruleIdSecret, callerIdSecret }) },
]
