/** The client's own generated messages and service definitions, loaded from the package that ships them. */
import { createRequire } from 'node:module'
import type { ServiceDefinition } from '@grpc/grpc-js'
import type * as FeatureMessages from '@eventstore/db-client/generated/serverfeatures_pb.js'
import type * as SharedMessages from '@eventstore/db-client/generated/shared_pb.js'
import type * as StatusMessages from '@eventstore/db-client/generated/status_pb.js'
import type * as StreamMessages from '@eventstore/db-client/generated/streams_pb.js'

const require = createRequire(import.meta.url)
const load = (name: string): unknown => require(`@eventstore/db-client/generated/${name}.js`)

export const streams = load('streams_pb') as typeof StreamMessages
export const shared = load('shared_pb') as typeof SharedMessages
export const status = load('status_pb') as typeof StatusMessages
export const features = load('serverfeatures_pb') as typeof FeatureMessages

export const { StreamsService } = load('streams_grpc_pb') as { StreamsService: ServiceDefinition }
export const { ServerFeaturesService } = load('serverfeatures_grpc_pb') as {
  ServerFeaturesService: ServiceDefinition
}

export interface AnyMessage {
  pack: (bytes: Uint8Array, name: string) => void
}
const anyPb = createRequire(require.resolve('@eventstore/db-client/generated/status_pb.js'))(
  'google-protobuf/google/protobuf/any_pb.js',
) as { Any: new () => AnyMessage }
export const { Any } = anyPb

export type { StreamMessages }
