/** AutoPay without a gateway: no question has an answer, so a mandate of a former gateway stays as it is. */
import { GatewayUnavailableError } from '../payments/port.ts'
import type { MandateGateway } from './port.ts'

const unanswered = (): Promise<never> => Promise.reject(new GatewayUnavailableError('no gateway is set up for AutoPay'))

export const noMandates: MandateGateway = {
  createMandate: unanswered,
  fetchMandate: unanswered,
  raiseCharge: unanswered,
  fetchCharge: unanswered,
  cancelCharge: unanswered,
  cancelMandate: unanswered,
  verifyWebhook: () => undefined,
  webhookLifeMs: 0,
  parseMandateWebhook: () => undefined,
}
