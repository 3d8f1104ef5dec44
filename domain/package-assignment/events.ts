import type { Instant } from '../time.ts'

export const assignmentVias = ['request', 'admin', 'lifecycle'] as const

/** Who gave the package: an approved request, an administrator, or a lifecycle rule. */
export type AssignmentVia = (typeof assignmentVias)[number]

/**
 * `expired`: its time is over. `revoked`: an administrator ended it. `given_up`: the user did. `conflict`: when it
 * should have started, the user had a package or a group that is incompatible with it.
 */
export type AssignmentEndReason = 'expired' | 'revoked' | 'given_up' | 'conflict'

interface Subject {
  readonly assignmentId: string
  readonly packageId: string
  readonly userId: string
}

export type PackageAssignmentEvent =
  | {
      type: 'package_assignment.granted'
      data: Subject & {
        via: AssignmentVia
        /** The request that it was approved with */
        requestId?: string
        /** If it starts later: then `package_assignment.started` follows. */
        startsAt?: Instant
        expiresAt?: Instant
      }
    }
  | { type: 'package_assignment.started'; data: Subject }
  /** `expiresAt` null: no longer expires */
  | { type: 'package_assignment.extended'; data: Subject & { requestId?: string; expiresAt: Instant | null } }
  | { type: 'package_assignment.ended'; data: Subject & { requestId?: string; reason: AssignmentEndReason } }
