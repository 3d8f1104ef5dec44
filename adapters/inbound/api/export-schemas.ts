import { Type } from 'typebox'
import { exportFormats, exportKinds } from '../../../domain/export/events.ts'
import { idOf } from '../http/route.ts'
import { nullable, Time } from '../http/schemas.ts'

export const Kind = Type.Enum([...exportKinds], {
  description:
    'users, groups, memberships, applications, assignments: as they were at that time. sign_ins, audit: all entries up to it. log: the events with the proof of the audit tree.',
})
export const Format = Type.Enum([...exportFormats], { description: 'Format of every file but the log' })

export const Export = Type.Object(
  {
    id: idOf('export'),
    status: Type.Enum(['queued', 'running', 'ready', 'failed']),
    kinds: Type.Array(Kind),
    format: Format,
    at: nullable(Time),
    position: nullable(Type.String({ description: 'Log position of the state' })),
    rows: Type.Integer({ description: 'rows written so far' }),
    total: Type.Integer({ description: 'about how many there are' }),
    requestedBy: nullable(idOf('user')),
    requestedAt: Time,
    finishedAt: nullable(Time),
    expiresAt: Time,
    downloadable: Type.Boolean({
      description: 'whether there is a file: it is ready, and was not downloaded yet',
    }),
    downloadedAt: nullable(Time),
    bytes: Type.Integer({ description: 'size of the file' }),
    sha256: nullable(Type.String({ description: 'hash of the file, hexadecimal' })),
    checkpoint: nullable(
      Type.String({
        description: 'signed head of the audit tree (C2SP tlog-checkpoint), as in the manifest',
      }),
    ),
  },
  { title: 'Export' },
)

export const ExportDownload = Type.Object(
  { downloadUrl: Type.String(), expiresAt: Time },
  { title: 'ExportDownload' },
)
