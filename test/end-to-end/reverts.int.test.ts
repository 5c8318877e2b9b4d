import { embedded } from './grounds.ts'
import { describeReverts } from './reverts.ts'

describeReverts('in one process', embedded)
