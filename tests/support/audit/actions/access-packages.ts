import type { AuditKit, Entry, Step } from './kit.ts'

const created: readonly Entry[] = [
  ['access_request.create', 'Requested the access package Reports for Rita Levi'],
  ['access_request.stage.open', 'Asked 1 approver in stage 1 about the access package Reports for Rita Levi'],
]
const approved: Entry = ['access_request.approve', 'Approved the access package Reports for Rita Levi']
const assigned = (via: string): Entry => [
  'access_package.assign',
  `Assigned the access package Reports to Rita Levi (${via})`,
]
const delivered: Entry = ['access_request.deliver', 'Delivered the access package Reports for Rita Levi']
const joined: Entry = ['group.member.add', 'Added Rita Levi to the group People (package)']
const left: Entry = ['group.member.remove', 'Removed Rita Levi from the group People (removed)']
const ended = (reason: string): Entry => [
  'access_package.unassign',
  `Ended the assignment of the access package Reports to Rita Levi (${reason})`,
]

/** Steps for access packages and requests, with what their delivery records. */
export const accessPackageSteps = ({ people, made, admin, to, call, keep }: AuditKit): readonly Step[] => {
  const rita = () => people.requester
  const otto = () => people.approver
  const request = (name: string, more: () => object = () => ({})) =>
    keep(
      name,
      call('POST', to('/me/access-requests'), () => ({ packageId: made['package'], ...more() }), rita),
    )
  const decide = (path: string, body: () => object = () => ({}), by = otto) =>
    call('POST', to(path), body, by)

  return [
    [
      'create an access package',
      [['access_package.create', 'Created the access package Report']],
      keep(
        'package',
        call('POST', to('/access-packages'), () => ({
          name: 'Report',
          grants: [{ type: 'group', groupId: made['group'] }],
          requesterJustificationRequired: false,
          approval: {
            required: true,
            stages: [
              {
                approvers: { type: 'users', ids: [people.approver.userId] },
                ...{ mode: 'any', timeoutHours: 1, justificationRequired: false },
              },
            ],
          },
        })),
      ),
    ],
    [
      'rename an access package',
      [['access_package.update', 'Updated the access package Reports']],
      call('PATCH', to('/access-packages/:package'), () => ({ name: 'Reports' })),
    ],
    [
      'publish an access package',
      [['access_package.publish', 'Published the access package Reports']],
      call('POST', to('/access-packages/:package/publish')),
    ],
    ['request an access package', created, request('request')],
    [
      'reassign a request',
      [
        [
          'access_request.reassign',
          'Changed who decides about the access package Reports for Rita Levi (reassigned)',
        ],
      ],
      decide('/access-requests/:request/reassign', () => ({ approverId: admin.userId })),
    ],
    [
      'deny a request',
      [['access_request.deny', 'Denied the access package Reports for Rita Levi']],
      decide(
        '/access-requests/:request/deny',
        () => ({ comment: 'No' }),
        () => admin,
      ),
    ],
    ['request it again', created, request('request')],
    [
      'cancel a request',
      [
        [
          'access_request.cancel',
          'Cancelled the request of the access package Reports for Rita Levi (by requester)',
        ],
      ],
      call('POST', to('/me/access-requests/:request/cancel'), undefined, rita),
    ],
    [
      'request it for later',
      created,
      request('request', () => ({ startsAt: new Date(Date.now() + 3_600_000).toISOString() })),
    ],
    [
      'approve it for later',
      [
        approved,
        assigned('request'),
        ['access_request.schedule', 'Scheduled the access package Reports for Rita Levi'],
      ],
      decide('/access-requests/:request/approve'),
    ],
    [
      'end it before it starts',
      [
        ended('revoked'),
        [
          'access_request.fail',
          'Could not deliver the access package Reports for Rita Levi: The assignment ended before it started',
        ],
      ],
      async () => {
        const [{ id }] = await call('GET', to('/access-packages/:package/assignments'))()
        made['assignment'] = id
        await call('DELETE', to('/access-packages/:package/assignments/:assignment'))()
      },
    ],
    ['request it for now', created, request('request')],
    [
      'approve it',
      [approved, assigned('request'), delivered, joined],
      decide('/access-requests/:request/approve'),
    ],
    [
      'give it up',
      [
        ['access_request.create', 'Requested to remove the access package Reports from Rita Levi'],
        ['access_request.approve', 'Approved the access package Reports for Rita Levi without a decision'],
        ended('given up'),
        left,
        delivered,
      ],
      request('request', () => ({ type: 'remove' })),
    ],
    [
      'assign it without a request',
      [assigned('admin'), joined],
      keep(
        'assignment',
        call('POST', to('/access-packages/:package/assignments'), () => ({
          userId: people.requester.userId,
        })),
      ),
    ],
    [
      'change when it expires',
      [
        [
          'access_package.assignment.extend',
          'Changed when the assignment of the access package Reports to Rita Levi expires',
        ],
        ['group.member.add', 'Changed when the membership of Rita Levi in the group People expires'],
      ],
      call('PATCH', to('/access-packages/:package/assignments/:assignment'), () => ({
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      })),
    ],
    [
      'end the assignment',
      [ended('revoked'), left],
      call('DELETE', to('/access-packages/:package/assignments/:assignment')),
    ],
    [
      'archive an access package',
      [['access_package.archive', 'Archived the access package Reports']],
      call('POST', to('/access-packages/:package/archive')),
    ],
    [
      'delete an access package',
      [['access_package.delete', 'Deleted the access package Reports']],
      call('DELETE', to('/access-packages/:package')),
    ],
  ]
}
