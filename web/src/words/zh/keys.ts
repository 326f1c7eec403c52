// 按键列表的词句。
import type { keyList as KeyList } from "../en/keys";

export const keyList: typeof KeyList = {
  shortcutsIntro: "不在输入时，单键随时可用。",
  shortcutsOn: "使用单键快捷键",
  keys: {
    palette: "查找频道、页面或操作",
    help: "本列表",
    compose: "写消息",
    next: "下一件等你处理的事",
    previous: "上一件等你处理的事",
    choose: "选择建议的回答",
    chooseAndSend: "选择并立即发送",
    reply: "用自己的话回答",
    done: "发送回答，或批准草稿",
    recall: "在记忆中查找",
    channelDown: "下一个频道",
    channelUp: "上一个频道",
    newChannel: "新建频道",
    messages: "在对话中：上一条消息；按 Tab 可对它操作",
    close: "关闭，或离开输入框",
  },
};
