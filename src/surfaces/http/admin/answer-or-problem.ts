import type { Actor } from "../../../admin/operation.ts"
import type { RecordRequest } from "../../../observe/request.ts"
import { finishBody, type HttpContext, inProgress } from "../context.ts"
import type { Exchange } from "../exchange.ts"
import { problems, sendProblem, toRefusal } from "./problem.ts"

/** Tells who sends the request, as soon as it is known, for the log. */
export type NoteActor = (actor: Pick<Actor, "id">) => void

/** Answers a request, and records it: with what `work` gives, or with a problem for what it throws. */
export async function answerOrProblem<T>(
  { request, set, incoming }: Exchange,
  record: RecordRequest,
  context: HttpContext,
  work: (note: NoteActor) => Promise<T>,
): Promise<T | string> {
  let actor: string | undefined
  try {
    const answer = await work(({ id }) => {
      actor = id
    })
    record(incoming, { status: Number(set.status), ...(actor !== undefined && { actor }) })
    return answer
  } catch (thrown) {
    const refusal = toRefusal(thrown, incoming.requestId, context.pipeline.log)
    await inProgress(context, () => finishBody(request, set, context))
    const { status } = problems[refusal.code]
    record(incoming, { status, fault: refusal.code, ...(actor !== undefined && { actor }) })
    return sendProblem(refusal, incoming.requestId, set)
  }
}
