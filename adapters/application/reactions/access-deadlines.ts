/**
 * What time brings to access packages: assignments start and expire, and undecided requests escalate or expire. An
 * expired assignment has had no effect since that moment; this records it.
 */
import {
  packageAssignmentDecider,
  packageAssignmentsStream,
} from '../../../domain/package-assignment/decider.ts'
import { overdueRequests } from '../../../read-models/queries/access-requests.ts'
import {
  dueAssignments,
  incompatibilitiesOf,
  usersWithLapsedAssignments,
} from '../../../read-models/queries/package-assignments.ts'
import { someAtATime } from '../../kernel/some-at-a-time.ts'
import { accessRequestCommands } from '../commands/access-requests.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Assignments read at once; maximum number of requests per run: the next run continues. */
const AT_ONCE = 500
/** Streams written to at the same time. */
const PARALLEL = 32

export const accessDeadlines = (
  services: Pick<Services, 'handle' | 'inForce' | 'locks' | 'pool' | 'clock'>,
  system: () => Actor,
) => {
  const { handle, inForce, pool, clock } = services
  const requests = accessRequestCommands(services)

  const expire = async (): Promise<void> => {
    for (;;) {
      const userIds = await usersWithLapsedAssignments(pool, clock.now(), AT_ONCE)
      const expired = await someAtATime(userIds, PARALLEL, (userId) =>
        handle(
          packageAssignmentDecider,
          packageAssignmentsStream(userId),
          { type: 'expire', userId, now: clock.now() },
          system(),
          { wait: 'left_to_caller' },
        ),
      )
      if (userIds.length < AT_ONCE) return
      // Those that are expired must not be found again.
      await inForce(expired.flatMap(({ change }) => change))
    }
  }

  return async (): Promise<void> => {
    await expire()
    for (const { id: assignmentId, userId, packageId } of await dueAssignments(pool, clock.now(), AT_ONCE)) {
      const now = clock.now()
      const incompatible = await incompatibilitiesOf(pool, userId, packageId, now)
      await handle(
        packageAssignmentDecider,
        packageAssignmentsStream(userId),
        { type: 'start', userId, packageId, assignmentId, incompatible, now },
        system(),
        { wait: 'left_to_caller' },
      )
    }
    for (const request of await overdueRequests(pool, clock.now(), AT_ONCE))
      await requests.timeOut(request, system())
  }
}
