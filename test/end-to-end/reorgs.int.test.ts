import { embedded } from './grounds.ts'
import { describeReorgs } from './reorgs.ts'

describeReorgs('in one process', embedded)
