/** The service worker's registration, as soon as it is known. Undefined if the browser supports no service worker. */
import { deferred } from '../app/deferred.ts'

const registered = deferred<ServiceWorkerRegistration | undefined>()
export const workerRegistration = registered.promise
export const setWorkerRegistration = registered.resolve
