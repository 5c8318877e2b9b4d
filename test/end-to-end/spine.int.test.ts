import { embedded, programsApart } from './grounds.ts'
import { describeSpine } from './spine.ts'

describeSpine('in one process', embedded)
describeSpine('on Kafka, its schemas in a registry, its tables behind HTTP', programsApart)
