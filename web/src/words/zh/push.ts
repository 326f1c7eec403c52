// 设备通知的词句。
import type * as English from "../en/push";

export const push: typeof English.push = {
  title: "通知",
  note: "有问题等你处理，或工作停下时通知你。",
  turnOn: "在此浏览器接收通知",
  turnOff: "在此浏览器关闭通知",
  notSupported: "此浏览器没有通知功能，或此页面不在 https 或 localhost 上。",
  notAllowed: "浏览器不允许此页面发送通知。",
  notAllowedHint: "请在浏览器设置中允许，然后重试。",
  noService: "浏览器无法连接它的通知服务。",
  noServiceHint: "无痕窗口没有此服务，有些网络也会阻止它。请在普通窗口或其他网络重试。",
  since: (time) => `${time}开启。`,
  lastSent: (time) => `上次通知：${time}。`,
  failures: (n) => `${n} 次未能送达。`,
  forget: "移除",
  test: "发送测试",
  tested: (n) => `已发到 ${n} 台设备，片刻后会在那里显示。`,
  notReached: (n) => `${n} 台设备未能送达：通知服务没有接收。请检查这台电脑是否联网，或在那个浏览器里关闭后再打开通知。`,
  gone: (n) => `${n} 台设备已不再接收通知，已从列表移除。`,
  noDevices: "还没有设备",
  noDevicesHint: "在每个希望收到通知的浏览器里打开它。",
};
